import { Copy } from '../clipboard.tsx';
import { Cover } from '../cover.tsx';
import { ProjectDocument } from '../generated-documents.ts';
import { Problem } from '../problem.tsx';
import { useQuery } from '../query.ts';
import { Screen } from '../screen.tsx';
import { Time } from '../time.tsx';
import { Apps } from './apps.tsx';
import { Wallets } from './wallets.tsx';

/** A project with its wallets and its apps. @param name its resource name */
export function Project({ name }: { name: string }) {
  const { data, error, reload } = useQuery(ProjectDocument, { name });
  const project = data?.node;
  // The status 400 is that of an address that is no name of a project.
  if ((data && !project) || error?.status === 400) {
    return (
      <Screen title="Project not found">
        <p>
          It does not exist, or the token does not see it. <a href="#/">Show the projects</a>
        </p>
      </Screen>
    );
  }
  return (
    <Screen title={project?.title ?? 'Project'}>
      {error && <Problem error={error} onRetry={reload} />}
      {!data && !error && (
        <p class="loading" role="status">
          Loading…
        </p>
      )}
      {project && (
        <>
          <div class="about">
            <Cover project={project.name} />
            <div>
              {project.description && <p>{project.description}</p>}
              <p class="muted">
                <code>{project.name}</code> <Copy text={project.name} label="name of the project" />
              </p>
              <p class="muted">
                Created <Time value={project.createTime} />
              </p>
            </div>
          </div>
          <Wallets project={project.name} />
          <Apps project={project.name} />
        </>
      )}
    </Screen>
  );
}
