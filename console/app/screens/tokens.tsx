import { useState } from 'preact/hooks';
import { FormDialog } from '../controls/form.tsx';
import { More, Size, useList } from '../controls/list.tsx';
import { FullId, ResourceLink } from '../controls/resource-id.tsx';
import { type Columns, Table } from '../controls/table.tsx';
import { NEAR_MS, Time, useTimeLeft } from '../controls/time.tsx';
import { RevokeTokenDocument, TokensDocument, type TokensQuery } from '../generated/documents.ts';
import { useMutation } from '../query.ts';
import { Actions, notify, Screen } from '../screen.tsx';
import { leaveSession, mayChangeAccount, mayCreateTokens, useViewer } from '../session.ts';
import { CreateToken } from './create-token.tsx';

type Token = TokensQuery['tokens']['nodes'][number];

const COLUMNS: Columns<Token> = [
  {
    title: 'Token',
    cell: (token) => (
      <>
        <span title={titleOf(token)}>{titleOf(token) || 'Without a title'}</span>{' '}
        {token.current && <span class="mark good">This token</span>}{' '}
        {token.readOnly && <span class="mark">Read-only</span>}
      </>
    ),
  },
  {
    title: 'For',
    rank: 2,
    isSecondLine: true,
    cell: ({ app, onlyProject, project }) =>
      app ? (
        <ResourceLink {...app} />
      ) : onlyProject && project ? (
        <ResourceLink {...project} />
      ) : (
        'The account'
      ),
  },
  {
    title: 'Last use',
    rank: 3,
    cell: ({ lastUseTime }) => (lastUseTime ? <Time value={lastUseTime} /> : 'Never'),
  },
  {
    title: 'Ends',
    cell: (token) => <End token={token} />,
    whole: ({ expireTime }) => <Time value={expireTime} isExact />,
  },
  {
    title: 'Created',
    rank: 4,
    cell: ({ createTime, maker }) => (
      <>
        <Time value={createTime} />{' '}
        {maker && (
          <small>
            by <ResourceLink name={maker} />
          </small>
        )}
      </>
    ),
  },
  { title: 'ID', rank: 4, cell: (token) => <FullId text={token.name} label={`ID of ${describe(token)}`} /> },
];

/** The valid tokens of the account and of its apps. */
export function Tokens() {
  const viewer = useViewer();
  const mayEnd = mayChangeAccount(viewer);
  const mayCreate = mayCreateTokens(viewer);
  const list = useList(TokensDocument, {}, ({ tokens }) => tokens);
  const [selected, setSelected] = useState<Token>();
  const [isCreating, setIsCreating] = useState(false);
  const onClose = () => setSelected(undefined);
  const onEnded = (token: Token) => {
    list.change((nodes) => nodes.filter(({ name, maker }) => name !== token.name && maker !== token.name));
    notify(`The token ${describe(token)} has ended.`);
    onClose();
  };
  const onCreated = (title: string) => {
    list.reload();
    notify(`Created the token “${title}”.`);
    setIsCreating(false);
  };
  const create = <Actions primary="Create token" of={{ 'Create token': () => setIsCreating(true) }} />;
  return (
    <Screen title="Tokens">
      <p class="muted">The valid tokens of the account and of its apps, the oldest first.</p>
      <div class="tools">
        <Size list={list} noun="valid tokens" />
        {mayCreate && create}
      </div>
      <Table
        label="Tokens"
        columns={COLUMNS}
        rows={list.nodes}
        nameOf={describe}
        action={mayEnd && { text: 'End', isEnding: true, onClick: setSelected }}
      />
      <More list={list} />
      {isCreating && mayCreate && <CreateToken onCreated={onCreated} onClose={() => setIsCreating(false)} />}
      {selected && mayEnd && <EndToken token={selected} onEnded={onEnded} onClose={onClose} />}
    </Screen>
  );
}

type EndTokenProps = { readonly token: Token; onEnded: (token: Token) => void; onClose: () => void };

function EndToken({ token, onEnded, onClose }: EndTokenProps) {
  const send = useMutation(RevokeTokenDocument);
  const { maker } = useViewer();
  const end = async () => {
    await send({ id: token.name });
    // The token of this page ends with its maker.
    if (token.current || token.name === maker) leaveSession('The token has ended.');
    else onEnded(token);
  };
  const action = 'End the token';
  return (
    <FormDialog
      title={`${action}?`}
      action={action}
      busy="Ending…"
      isDangerous
      onSubmit={end}
      onClose={onClose}
    >
      <p>
        The token <strong>{describe(token)}</strong> ends at once and for ever, wherever it is used.{' '}
        {consequence(token, maker)}
      </p>
    </FormDialog>
  );
}

/** @param maker the token that has created that of the page, if there is one */
function consequence({ name, current, app, maker: ownMaker }: Token, maker: string | null) {
  if (app) {
    return (
      <>
        The app <strong>{app.title}</strong> can sign in again for a new token. Its other tokens stay valid.
      </>
    );
  }
  const asks = 'the token of this page, which then asks for another one.';
  if (current && ownMaker) return `It is ${asks}`;
  if (ownMaker) return 'The token that has created it stays valid, and can create another one.';
  const ending = 'The tokens that it has created end with it.';
  if (current) return `It is ${asks} ${ending}`;
  if (name === maker) return `It has created ${asks} ${ending}`;
  return `${ending} Only the operator can issue a new one. The tokens of apps stay valid.`;
}

/** When a token ends, marked if that is near. Those of apps always end soon. */
function End({ token: { level, expireTime } }: { readonly token: Token }) {
  const isMarked = useTimeLeft(expireTime) < NEAR_MS && level === 'ACCOUNT';
  return (
    <span class={isMarked ? 'mark warning' : undefined}>
      <Time value={expireTime} />
    </span>
  );
}

/** Returns the title of a token, or that of its app. */
function titleOf({ title, app }: Token): string | undefined {
  return title || app?.title;
}

/** Returns the title of a token, or its name if it has none. */
function describe(token: Token): string {
  const title = titleOf(token);
  return title ? `“${title}”` : token.name;
}
