import { Cover } from '../controls/cover.tsx';
import { Filter } from '../controls/filter.tsx';
import { CreateButton, More, Size, useList } from '../controls/list.tsx';
import { FullId, ResourceLink } from '../controls/resource-id.tsx';
import { type Columns, Table, timeColumn } from '../controls/table.tsx';
import { ProjectsDocument, type ProjectsQuery } from '../generated/documents.ts';
import { useObservable } from '../observable.ts';
import { route } from '../router.ts';
import { Screen } from '../screen.tsx';
import { mayChangeAccount, useViewer } from '../session.ts';
import { quoted } from '../texts.ts';
import { CreateProject } from './project-dialogs.tsx';

const COLUMNS: Columns<ProjectsQuery['projects']['nodes'][number]> = [
  {
    title: 'Project',
    cell: (project) => (
      <>
        <Cover url={project.imageCoverUrl} /> <ResourceLink {...project} />
      </>
    ),
  },
  {
    title: 'Description',
    rank: 2,
    isSecondLine: true,
    isLong: true,
    cell: ({ description }) => description && <span title={description}>{description}</span>,
  },
  timeColumn('Created', ({ createTime }) => createTime, 3),
  { title: 'ID', rank: 4, cell: ({ name }) => <FullId text={name} /> },
];

/** The projects that the token has access to. */
export function Projects() {
  const title = useObservable(route).query.get('title');
  const list = useList(ProjectsDocument, { ...(title && { title }) }, ({ projects }) => projects);
  const mayCreate = mayChangeAccount(useViewer());
  return (
    <Screen title="Projects" aside={<Size list={list} noun="projects" />}>
      <div class="tools">
        <Filter />
        {mayCreate && (
          <CreateButton list={list} text="Create project" draw={(props) => <CreateProject {...props} />} />
        )}
      </div>
      <Table label="Projects" columns={COLUMNS} rows={list.nodes} nameOf={({ title }) => title} />
      {list.totalCount === 0 && title && <p class="muted">No project titles start with {quoted(title)}.</p>}
      <More list={list} />
    </Screen>
  );
}
