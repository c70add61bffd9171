import { useState } from 'preact/hooks';
import { Cover } from '../cover.tsx';
import { ProjectDocument, type ProjectFieldsFragment } from '../generated-documents.ts';
import { Short } from '../name.tsx';
import { Pending } from '../problem.tsx';
import { isMissing, nodeOf, useQuery } from '../query.ts';
import { linkTo, route } from '../router.ts';
import { NotFound, Screen } from '../screen.tsx';
import { mayChangeApps, seesAccount, useViewer } from '../session.ts';
import { useStore } from '../store.ts';
import { Properties } from '../table.tsx';
import { Time } from '../time.tsx';
import { Apps } from './apps.tsx';
import { History } from './events.tsx';
import { EditProject } from './project-dialogs.tsx';
import { Wallets } from './wallets.tsx';

const TABS = [
  { tab: '', text: 'Wallets' },
  { tab: 'apps', text: 'Apps' },
  { tab: 'settings', text: 'Settings' },
];

/** A project with its wallets, its apps and its settings, each in a tab. @param name its resource name */
export function Project({ name, tab = '' }: { name: string; tab?: string | undefined }) {
  const { entry } = useStore(route);
  const query = useQuery(ProjectDocument, { name });
  const project = nodeOf(query.data);
  if (isMissing(query)) return <NotFound kind="Project" />;
  return (
    <Screen title={project?.title ?? 'Project'}>
      <nav class="tabs" aria-label="Parts of the project">
        {TABS.map(({ tab: each, text }) => (
          <a
            key={each}
            href={linkTo(each ? `${name}/${each}` : name)}
            {...(each === tab && { 'aria-current': 'page' })}
          >
            {text}
          </a>
        ))}
      </nav>
      <Pending query={query} />
      {project && tab === '' && <Wallets key={entry} project={name} />}
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
      <div class="about">
        <Cover project={name} />
        <Properties
          of={[
            ['Title', title],
            ['Description', description || '–'],
            ['Name', <Short text={name} label="name of the project" />],
            ['Created', <Time value={createTime} />],
          ]}
        />
        {mayChange && (
          <button type="button" onClick={() => setIsEditing(true)}>
            Edit project
          </button>
        )}
      </div>
      {seesAccount(viewer) && <History key={title + description} resource={name} />}
      {isEditing && mayChange && (
        <EditProject
          project={project}
          onUpdated={() => {
            setIsEditing(false);
            onUpdated();
          }}
          onClose={() => setIsEditing(false)}
        />
      )}
    </>
  );
}
