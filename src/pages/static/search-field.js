const field = document.querySelector('input[role="combobox"]');

// The index is loaded for those who search.
if (field instanceof HTMLInputElement) {
  field.addEventListener('focus', () => import(field.dataset['script'] ?? ''), { once: true });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target !== document.body) return;
    event.preventDefault();
    field.focus();
  });
}
