import { useState } from 'preact/hooks';
import { Short } from '../controls/name.tsx';
import { Properties } from '../controls/table.tsx';
import { Time } from '../controls/time.tsx';
import { ProjectDocument, type ProjectFieldsFragment } from '../generated/documents.ts';
import { Pending } from '../problem.tsx';
import { isMissing, nodeOf, useQuery } from '../query.ts';
import { linkTo } from '../router.ts';
import { Actions, NotFound, Screen } from '../screen.tsx';
import { mayChangeApps, seesAccount, useViewer } from '../session.ts';
import { Apps } from './apps.tsx';
import { History } from './events.tsx';
import { EditProject } from './project-dialogs.tsx';
import { Wallets } from './wallets.tsx';

const TABS = { '': 'Wallets', '/apps': 'Apps', '/settings': 'Settings' };

/** A project with its wallets, its apps and its settings, each in a tab. @param name its resource name */
export function Project({ name, tab = '' }: { name: string; tab?: string | undefined }) {
  const query = useQuery(ProjectDocument, { name });
  const project = nodeOf(query.data);
  if (isMissing(query)) return <NotFound kind="Project" />;
  return (
    <Screen title={project?.title ?? 'Project'}>
      <nav class="tabs" aria-label="Parts of the project">
        {Object.entries(TABS).map(([path, text]) => (
          <a key={path} href={linkTo(name + path)} aria-current={path.slice(1) === tab ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <Pending query={query} />
      {project && tab === '' && <Wallets project={name} />}
      {project && tab === 'apps' && <Apps project={name} />}
      {project && tab === 'settings' && <Settings project={project} onUpdated={query.reload} />}
    </Screen>
  );
}

function Settings({ project, onUpdated }: { project: ProjectFieldsFragment; onUpdated: () => void }) {
  const viewer = useViewer();
  const mayChange = mayChangeApps(viewer);
  const [isEditing, setIsEditing] = useState(false);
  const { name, title, description, createTime } = project;
  return (
    <>
      <div class="heading">
        <Properties
          of={{
            Title: title,
            Description: description || '–',
            Name: <Short text={name} label="name of the project" />,
            Created: <Time value={createTime} />,
          }}
        />
        {mayChange && <Actions of={{ 'Edit project': () => setIsEditing(true) }} />}
      </div>
      {seesAccount(viewer) && <History resource={project} />}
      {isEditing && mayChange && (
        <EditProject project={project} onUpdated={onUpdated} onClose={() => setIsEditing(false)} />
      )}
    </>
  );
}
