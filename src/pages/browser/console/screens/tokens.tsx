import { useState } from 'preact/hooks';
import { Dialog } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { RevokeTokenDocument, TokensDocument, type TokensQuery } from '../generated-documents.ts';
import { More, Size, useList } from '../list.tsx';
import { useMutation } from '../mutation.ts';
import { Resource, Short } from '../name.tsx';
import { Screen } from '../screen.tsx';
import { leaveSession, mayChangeAccount, useViewer } from '../session.ts';
import { type Column, Table } from '../table.tsx';
import { Time } from '../time.tsx';

type Token = TokensQuery['tokens']['nodes'][number];

const COLUMNS: readonly Column<Token>[] = [
  {
    title: 'Token',
    cell: ({ title, readOnly, current }) => (
      <>
        <span title={title}>{title || 'Without a title'}</span>{' '}
        {current && <span class="mark good">This token</span>}{' '}
        {readOnly && <span class="mark">Read-only</span>}
      </>
    ),
  },
  { title: 'Name', cell: (token) => <Short text={token.name} label={`name of ${describe(token)}`} /> },
  {
    title: 'For',
    cell: ({ app, onlyProject, project }) =>
      app ? <Resource {...app} /> : onlyProject && project ? <Resource {...project} /> : 'The account',
  },
  { title: 'Created', cell: ({ createTime }) => <Time value={createTime} /> },
  { title: 'Expires', cell: ({ expireTime }) => <Time value={expireTime} /> },
  { title: 'Last use', cell: ({ lastUseTime }) => (lastUseTime ? <Time value={lastUseTime} /> : 'Never') },
];

/** The valid tokens of the account and of its apps. */
export function Tokens() {
  const mayRevoke = mayChangeAccount(useViewer());
  const list = useList(TokensDocument, {}, ({ tokens }) => tokens);
  const [selected, setSelected] = useState<Token>();
  const [done, setDone] = useState('');
  const onRevoked = (token: Token) => {
    list.change((nodes) => nodes.filter(({ name }) => name !== token.name));
    setDone(`The token ${describe(token)} has ended.`);
    setSelected(undefined);
  };
  const actions: Column<Token> = {
    title: 'Actions',
    cell: (token) => (
      <button type="button" aria-label={`Revoke ${describe(token)}`} onClick={() => setSelected(token)}>
        Revoke
      </button>
    ),
  };
  return (
    <Screen title="Tokens">
      <p>The valid tokens of the account and of its apps, the oldest first.</p>
      <Size list={list} noun="valid token" />
      <p class="done" role="status">
        {done}
      </p>
      <Table label="Tokens" columns={mayRevoke ? [...COLUMNS, actions] : COLUMNS} rows={list.nodes} />
      <More list={list} />
      {selected && mayRevoke && (
        <Revoke token={selected} onRevoked={onRevoked} onClose={() => setSelected(undefined)} />
      )}
    </Screen>
  );
}

type RevokeProps = {
  readonly token: Token;
  readonly onRevoked: (token: Token) => void;
  readonly onClose: () => void;
};

function Revoke({ token, onRevoked, onClose }: RevokeProps) {
  const send = useMutation(RevokeTokenDocument);
  const revoke = async () => {
    await send({ id: token.name });
    if (token.current) leaveSession('The token has ended.');
    else onRevoked(token);
  };
  return (
    <Dialog title="Revoke the token?" onClose={onClose}>
      <p>
        <strong>{describe(token)}</strong> ends at once and for ever, wherever it is used.{' '}
        {consequence(token)}
      </p>
      <Form action="Revoke the token" isDangerous onSubmit={revoke} onCancel={onClose} />
    </Dialog>
  );
}

function consequence({ current, app }: Token) {
  if (current) return 'It is the token of this page, which then asks for another one.';
  if (app) {
    return (
      <>
        The app <strong>{app.title}</strong> can sign in again for a new token. Its other tokens stay valid.
      </>
    );
  }
  return 'Only the operator can issue a new one. The tokens of apps stay valid.';
}

/** Returns the title of a token, or its name if it has none. */
function describe({ title, name }: Token): string {
  return title ? `“${title}”` : name;
}
