/** The cover image of a project. Its URL is relative, because the page allows no other host. */
export function Cover({ project }: { project: string }) {
  return (
    <img class="cover" src={`./covers/${project.slice('projects/'.length)}.svg`} alt="" loading="lazy" />
  );
}
