import type { ComponentChildren, ComponentProps } from 'preact';
import { Folded } from '../controls/folded.tsx';
import { Properties } from '../controls/table.tsx';
import { isMissing, type Query } from '../query.ts';
import { Pending } from '../query-status.tsx';
import { Actions, NotFound, Screen, usePath } from '../screen.tsx';
import { seesAccount, useViewer } from '../session.ts';
import { History } from './events.tsx';

type ResourceScreenProps = {
  /** Such as `Wallet`. */
  readonly kind: string;
  readonly query: Query<{ readonly node: unknown }>;
  /** Undefined until the answer. */
  readonly resource: { readonly name: string; readonly title: string } | undefined;
  /** Its project. */
  readonly project: Parameters<typeof usePath>[0];
  readonly description?: string | undefined;
  readonly properties: ComponentProps<typeof Properties>['of'] | undefined;
  readonly actions: ComponentProps<typeof Actions>;
  /** The dialogs. */
  readonly children: ComponentChildren;
};

/** The screen of one resource: its fields, its actions and its history. */
export function ResourceScreen(props: ResourceScreenProps) {
  const { kind, query, resource, project, description, properties, actions, children } = props;
  const viewer = useViewer();
  const path = usePath(project);
  if (isMissing(query)) return <NotFound kind={kind} />;
  return (
    <Screen title={resource?.title ?? kind} path={path} aside={resource && <Actions {...actions} />}>
      <Pending query={query} />
      <div class="two">
        <div>
          {properties && <Properties of={properties} />}
          {description && (
            <section>
              <h2>Description</h2>
              <Folded text={description} />
            </section>
          )}
        </div>
        {resource && seesAccount(viewer) && <History resource={resource} />}
      </div>
      {children}
    </Screen>
  );
}
