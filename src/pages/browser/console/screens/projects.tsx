import { useState } from 'preact/hooks';
import { Cover } from '../cover.tsx';
import { Filter } from '../find.tsx';
import { ProjectsDocument } from '../generated-documents.ts';
import { More, Size, useList } from '../list.tsx';
import { linkTo, route } from '../router.ts';
import { Screen } from '../screen.tsx';
import { mayChangeAccount, useViewer } from '../session.ts';
import { useStore } from '../store.ts';
import { CreateProject } from './project-dialogs.tsx';

/** The projects that the token sees. */
export function Projects() {
  const title = useStore(route).query.get('title');
  const list = useList(ProjectsDocument, { ...(title && { title }) }, ({ projects }) => projects);
  const mayCreate = mayChangeAccount(useViewer());
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Screen
      title="Projects"
      aside={
        mayCreate && (
          <button type="button" onClick={() => setIsCreating(true)}>
            Create project
          </button>
        )
      }
    >
      <div class="heading">
        <Size list={list} noun="project" />
        <Filter label="Find by title" />
      </div>
      <ul class="cards">
        {list.nodes.map(({ name, title, description }) => (
          <li key={name}>
            <Cover project={name} />
            <h2>
              <a href={linkTo(name)}>{title}</a>
            </h2>
            <p class="muted">{description}</p>
          </li>
        ))}
      </ul>
      {list.totalCount === 0 && title && <p class="empty">No project’s title begins with “{title}”.</p>}
      <More list={list} />
      {isCreating && mayCreate && <CreateProject onClose={() => setIsCreating(false)} />}
    </Screen>
  );
}
