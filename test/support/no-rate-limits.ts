/** The settings of a gateway that accepts any rate of requests. */
export const NO_RATE_LIMITS = {
  PAW_RATE_LIMIT_CREDENTIAL: '100000000',
  PAW_RATE_LIMIT_ACCOUNT: '100000000',
  PAW_RATE_LIMIT_ADDRESS: '100000000',
};
