// A section that has moved has a link in its old place.
function followMovedSection() {
  const link = document.getElementById(location.hash.slice(1));
  if (link instanceof HTMLAnchorElement) location.replace(link.href);
}
addEventListener('hashchange', followMovedSection);
followMovedSection();
