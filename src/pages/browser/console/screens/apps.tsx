import { AppsDocument, type AppsQuery } from '../documents.ts';
import { More, useList } from '../list.tsx';
import { Time } from '../time.tsx';

/** An app in the list of a project. */
export type App = NonNullable<AppsQuery['node']>['apps']['nodes'][number];

/** The apps of a project. */
export function Apps({ project }: { project: string }) {
  const list = useList(AppsDocument, { project }, ({ node }) => node?.apps);
  return (
    <section aria-labelledby="apps">
      <h2 id="apps">
        Apps <span class="muted">{list.totalCount}</span>
      </h2>
      <ul class="rows">
        {list.nodes.map((app) => (
          <AppRow key={app.name} app={app} />
        ))}
      </ul>
      {list.totalCount === 0 && (
        <div class="empty">
          <p>The project has no apps. A program signs in as an app, and gets a token for this project.</p>
        </div>
      )}
      <More list={list} />
    </section>
  );
}

function AppRow({ app: { title, active, lastSignInTime, createTime, keys } }: { app: App }) {
  const ending = keys.find(({ expireTime }) => expireTime !== null)?.expireTime;
  return (
    <li>
      <h3>
        {title} <span class={active ? 'mark good' : 'mark'}>{active ? 'Active' : 'Inactive'}</span>
      </h3>
      <dl>
        <div>
          <dt>Last sign-in</dt>
          <dd>{lastSignInTime ? <Time value={lastSignInTime} /> : 'Never'}</dd>
        </div>
        <div>
          <dt>Keys</dt>
          <dd>
            {keys.length}
            {ending && (
              <>
                , the old one until <Time value={ending} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time value={createTime} />
          </dd>
        </div>
      </dl>
    </li>
  );
}
