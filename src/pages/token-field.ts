/** The input field for the bearer token of GraphiQL and Swagger UI. The token is not stored. */
export const TOKEN_FIELD = `<label class="token">Bearer token
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="paw_acct_…"></label>`;
