const base = new URL('.', location.href).href.replace(/\/$/, '');
for (const element of document.querySelectorAll('[data-url]')) element.textContent = base;

for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', async () => {
    const request = document.getElementById(button.dataset['copySource'] ?? '');
    if (request === null) return;
    // The clipboard is undefined in insecure contexts: plain HTTP from another host.
    getSelection()?.selectAllChildren(request);
    await navigator.clipboard?.writeText(request.innerText);
    button.textContent = navigator.clipboard ? 'Copied' : 'Selected';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}
