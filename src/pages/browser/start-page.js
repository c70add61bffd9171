const base = new URL('.', location.href).href.replace(/\/$/, '');
for (const place of document.querySelectorAll('[data-url]')) place.textContent = base;

for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', async () => {
    const request = document.getElementById(button.dataset['copies'] ?? '');
    if (request === null) return;
    // Where the page came over plain HTTP from another machine there is no clipboard.
    getSelection()?.selectAllChildren(request);
    await navigator.clipboard?.writeText(request.innerText);
    button.textContent = navigator.clipboard ? 'Copied' : 'Selected';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}
