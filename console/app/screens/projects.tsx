import { useState } from 'preact/hooks';
import { Filter } from '../controls/find.tsx';
import { More, Size, useList } from '../controls/list.tsx';
import { Resource, Short } from '../controls/name.tsx';
import { type Column, Table } from '../controls/table.tsx';
import { ProjectsDocument, type ProjectsQuery } from '../generated/documents.ts';
import { route } from '../router.ts';
import { Actions, Screen } from '../screen.tsx';
import { mayChangeAccount, useViewer } from '../session.ts';
import { useStore } from '../store.ts';
import { CreateProject } from './project-dialogs.tsx';

const COLUMNS: readonly Column<ProjectsQuery['projects']['nodes'][number]>[] = [
  { title: 'Project', cell: (project) => <Resource {...project} /> },
  { title: 'Description', cell: ({ description }) => <span title={description}>{description || '–'}</span> },
  { title: 'Name', cell: ({ name, title }) => <Short text={name} label={`name of ${title}`} /> },
];

/** The projects that the token sees. */
export function Projects() {
  const title = useStore(route).query.get('title');
  const list = useList(ProjectsDocument, { ...(title && { title }) }, ({ projects }) => projects);
  const mayCreate = mayChangeAccount(useViewer());
  const [isCreating, setIsCreating] = useState(false);
  const create = <Actions of={{ 'Create project': () => setIsCreating(true) }} />;
  return (
    <Screen title="Projects" aside={mayCreate && create}>
      <div class="heading">
        <Size list={list} noun="projects" />
        <Filter />
      </div>
      <Table label="Projects" columns={COLUMNS} rows={list.nodes} />
      {list.totalCount === 0 && title && <p class="muted">No project’s title begins with “{title}”.</p>}
      <More list={list} />
      {isCreating && mayCreate && <CreateProject onClose={() => setIsCreating(false)} />}
    </Screen>
  );
}
