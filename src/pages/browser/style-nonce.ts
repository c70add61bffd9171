// Style elements that libraries make by script are let in by the page's policy: they get
// the nonce of the response. Markup that someone slips in does not.
const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;

document.createElement = new Proxy(document.createElement, {
  apply(createElement, self, names) {
    const element = Reflect.apply(createElement, self, names);
    if (element instanceof HTMLStyleElement && nonce !== undefined) element.nonce = nonce;
    return element;
  },
});
