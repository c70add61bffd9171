const { PAW } = process.env;

export default {
  paw: {
    input: `${PAW}/openapi.json`,
    output: { target: 'generated/index.ts', client: 'fetch', baseUrl: PAW },
  },
};
