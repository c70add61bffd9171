/**
 * The cover of a project, next to its title. The gateway serves it, and the page loads it from its own origin, which a proxy
 * or another host name can make different from the URL's origin. Without a cover, there is a plain background.
 */
export function Cover({ url }: { url: string }) {
  return (
    <span class="cover">
      <img src={url.slice(url.lastIndexOf('/covers/') + 1)} alt="" loading="lazy" decoding="async" />
    </span>
  );
}
