import type { ComponentChildren, ComponentProps } from 'preact';
import { Properties } from '../controls/table.tsx';
import { Pending } from '../problem.tsx';
import { isMissing, type Query } from '../query.ts';
import { Actions, NotFound, Screen } from '../screen.tsx';
import { seesAccount, useViewer } from '../session.ts';
import { History } from './events.tsx';

type ResourceScreenProps = {
  /** Such as `Wallet`. */
  readonly kind: string;
  readonly query: Query<{ readonly node: unknown }>;
  /** Undefined until the answer. */
  readonly resource: { readonly name: string; readonly title: string } | undefined;
  readonly properties: ComponentProps<typeof Properties>['of'] | undefined;
  readonly actions: ComponentProps<typeof Actions>['of'];
  /** The dialogs. */
  readonly children: ComponentChildren;
};

/** The screen of one resource: what it is, what can be done with it, and its history. */
export function ResourceScreen(props: ResourceScreenProps) {
  const { kind, query, resource, properties, actions, children } = props;
  const viewer = useViewer();
  if (isMissing(query)) return <NotFound kind={kind} />;
  return (
    <Screen title={resource?.title ?? kind} aside={resource && <Actions of={actions} />}>
      <Pending query={query} />
      {properties && <Properties of={properties} />}
      {resource && seesAccount(viewer) && <History resource={resource} />}
      {children}
    </Screen>
  );
}
