const field = document.querySelector('input[role="combobox"]');

// The index is loaded for those who search.
if (field instanceof HTMLInputElement) {
  field.addEventListener('focus', () => import(field.dataset['script'] ?? ''));
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === field) return;
    event.preventDefault();
    field.focus();
  });
}
