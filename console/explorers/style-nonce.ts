// Gives style elements that libraries create with scripts the nonce of the page, which its
// Content-Security-Policy requires. Injected markup has no nonce and is blocked.
const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;

document.createElement = new Proxy(document.createElement, {
  apply(createElement, self, args) {
    const element = Reflect.apply(createElement, self, args);
    if (element instanceof HTMLStyleElement && nonce !== undefined) element.nonce = nonce;
    return element;
  },
});
