/** The input field for the bearer token of GraphiQL and the REST reference. `browser/token.ts` connects it with the kept token. */
export const TOKEN_FIELD = `<label class="token">Bearer token
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="paw_acct_…"></label>`;
