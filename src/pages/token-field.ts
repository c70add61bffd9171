/** The field for the bearer token that an explorer sends. What is typed there stays in the page. */
export const TOKEN_FIELD = `<label class="token">Bearer token
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="paw_acct_…"></label>`;
