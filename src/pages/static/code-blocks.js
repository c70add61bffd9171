for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', async () => {
    const lines = document.getElementById(button.dataset['copies'] ?? '');
    const outcome = button.previousElementSibling;
    if (lines === null || outcome === null) return;
    // The clipboard is undefined in insecure contexts: plain HTTP from another host.
    getSelection()?.selectAllChildren(lines);
    await navigator.clipboard?.writeText(lines.innerText);
    outcome.textContent = navigator.clipboard ? 'Copied' : 'Selected';
    setTimeout(() => {
      outcome.textContent = '';
    }, 2000);
  });
}
