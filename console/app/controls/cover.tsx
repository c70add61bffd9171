/**
 * The cover of a project, beside its title. The gateway serves it, and the page loads it from its own origin, which a proxy
 * or another host name can make another one than that of the URL. Without it, there is a ground in its place.
 */
export function Cover({ url }: { url: string }) {
  return (
    <span class="cover">
      <img src={url.slice(url.lastIndexOf('/covers/') + 1)} alt="" loading="lazy" decoding="async" />
    </span>
  );
}
