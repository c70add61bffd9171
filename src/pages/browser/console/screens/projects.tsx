import { ProjectsDocument } from '../documents.ts';
import { Problem } from '../problem.tsx';
import { useQuery } from '../query.ts';
import { linkTo } from '../router.ts';
import { Screen } from '../screen.tsx';

/** The projects that the token sees. */
export function Projects() {
  const { data, error, reload } = useQuery(ProjectsDocument, {});
  return (
    <Screen title="Projects">
      {error && <Problem error={error} onRetry={reload} />}
      <ul class="cards">
        {data?.projects.nodes.map(({ name, title, description }) => (
          <li key={name}>
            <img src={`./covers/${name.slice('projects/'.length)}.svg`} alt="" width="64" height="64" />
            <a href={linkTo(name)}>{title}</a>
            <p>{description}</p>
          </li>
        ))}
      </ul>
    </Screen>
  );
}
