import { useState } from 'preact/hooks';
import { Cover } from '../controls/cover.tsx';
import { Folded } from '../controls/folded.tsx';
import { FullId } from '../controls/resource-id.tsx';
import { Properties } from '../controls/table.tsx';
import { Time } from '../controls/time.tsx';
import { ProjectDocument, type ProjectFieldsFragment } from '../generated/documents.ts';
import { isMissing, nodeOf, useQuery } from '../query.ts';
import { Pending } from '../query-status.tsx';
import { linkTo } from '../router.ts';
import { Actions, NotFound, Screen, usePath } from '../screen.tsx';
import { mayChangeAccount, mayChangeApps, seesAccount, useViewer } from '../session.ts';
import { countText } from '../texts.ts';
import { Apps } from './apps.tsx';
import { History } from './events.tsx';
import { DeleteProject, EditProject } from './project-dialogs.tsx';
import { Wallets } from './wallets.tsx';

const TABS = { '': 'Wallets', '/apps': 'Apps', '/settings': 'Settings' };

/** A project with its wallets, its apps and its settings, each in a tab. @param name its resource name */
export function Project({ name, tab = '' }: { name: string; tab?: string | undefined }) {
  const viewer = useViewer();
  const query = useQuery(ProjectDocument, { name, createsWallets: mayChangeAccount(viewer) });
  const project = nodeOf(query.data);
  const path = usePath();
  const mayChange = mayChangeApps(viewer);
  const left = new Map(query.data?.viewer.addressesLeft?.map(({ network, count }) => [network, count]));
  const lists = new Map(Object.entries({ Wallets: project?.wallets, Apps: project?.apps }));
  const [isEditing, setIsEditing] = useState(false);
  if (isMissing(query)) return <NotFound kind="Project" />;
  return (
    <Screen
      title={project?.title ?? 'Project'}
      path={path}
      cover={project && <Cover url={project.imageCoverUrl} />}
      aside={project && mayChange && <Actions of={{ 'Edit project': () => setIsEditing(true) }} />}
    >
      <Folded text={project?.description ?? ''} />
      {project && (
        <nav class="tabs" aria-label="Parts of the project">
          {Object.entries(TABS).map(([path, text]) => {
            const list = lists.get(text);
            return (
              <a
                key={path}
                href={linkTo(name + path)}
                aria-current={path.slice(1) === tab ? 'page' : undefined}
              >
                {text} {list && <span class="mark">{countText(list.totalCount)}</span>}
              </a>
            );
          })}
        </nav>
      )}
      <Pending query={query} />
      {project && tab === '' && <Wallets project={name} left={left} />}
      {project && tab === 'apps' && <Apps project={name} />}
      {project && tab === 'settings' && <Settings project={project} />}
      {project && isEditing && mayChange && (
        <EditProject project={project} onClose={() => setIsEditing(false)} />
      )}
    </Screen>
  );
}

function Settings({ project }: { project: ProjectFieldsFragment }) {
  const { name, reference, createTime } = project;
  const viewer = useViewer();
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <>
      <Properties
        of={{
          ...(reference && { Reference: <FullId text={reference} label="reference" /> }),
          Created: <Time value={createTime} isExact />,
          ID: <FullId text={name} />,
        }}
      />
      {mayChangeAccount(viewer) && (
        <Actions of={{ 'Delete project': () => setIsDeleting(true) }} ends={['Delete project']} />
      )}
      {isDeleting && mayChangeAccount(viewer) && (
        <DeleteProject project={project} onClose={() => setIsDeleting(false)} />
      )}
      {seesAccount(viewer) && <History resource={project} />}
    </>
  );
}
