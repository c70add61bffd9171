import { useState } from 'preact/hooks';
import { FormDialog } from '../controls/form.tsx';
import { CreateButton, More, Size, useList } from '../controls/list.tsx';
import { FullId, ResourceLink } from '../controls/resource-id.tsx';
import { type Columns, Table, timeColumn } from '../controls/table.tsx';
import { NEAR_MS, Time, useTimeLeft } from '../controls/time.tsx';
import { RevokeTokenDocument, TokensDocument, type TokensQuery } from '../generated/documents.ts';
import { useMutation } from '../query.ts';
import { notify, Screen } from '../screen.tsx';
import { leaveSession, mayChangeAccount, mayCreateTokens, useViewer } from '../session.ts';
import { quoted, TEXTS } from '../texts.ts';
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
    ...timeColumn<Token>(TEXTS.expires, ({ expireTime }) => expireTime),
    cell: (token) => <Expiry token={token} />,
  },
  {
    ...timeColumn<Token>('Created', ({ createTime }) => createTime, 3),
    whole: ({ createTime, maker }) => (
      <>
        <Time value={createTime} isExact />{' '}
        {maker && (
          <small>
            by <ResourceLink name={maker} />
          </small>
        )}
      </>
    ),
  },
  { title: 'ID', rank: 4, cell: ({ name }) => <FullId text={name} /> },
];

/** The valid tokens of the account and of its apps. */
export function Tokens() {
  const viewer = useViewer();
  const mayRevoke = mayChangeAccount(viewer);
  const list = useList(TokensDocument, {}, ({ tokens }) => tokens);
  const [selected, setSelected] = useState<Token>();
  const onClose = () => setSelected(undefined);
  const onRevoked = (token: Token) => {
    list.change((nodes) => nodes.filter(({ name, maker }) => name !== token.name && maker !== token.name));
    notify(`Revoked the token ${describe(token)}.`);
    onClose();
  };
  return (
    <Screen title="Tokens" aside={<Size list={list} noun="valid tokens" />}>
      <p class="muted">Valid tokens of the account and its apps.</p>
      <div class="tools">
        {mayCreateTokens(viewer) && (
          <CreateButton list={list} text="Create token" draw={(props) => <CreateToken {...props} />} />
        )}
      </div>
      <Table
        label="Tokens"
        columns={COLUMNS}
        rows={list.nodes}
        nameOf={describe}
        action={mayRevoke && { text: 'Revoke', isEnding: true, onClick: setSelected }}
      />
      <More list={list} />
      {selected && mayRevoke && <RevokeToken token={selected} onRevoked={onRevoked} onClose={onClose} />}
    </Screen>
  );
}

type RevokeTokenProps = { readonly token: Token; onRevoked: (token: Token) => void; onClose: () => void };

function RevokeToken({ token, onRevoked, onClose }: RevokeTokenProps) {
  const send = useMutation(RevokeTokenDocument);
  const { maker } = useViewer();
  const submit = async () => {
    await send({ id: token.name });
    // The token of this page is revoked with its maker.
    if (token.current || token.name === maker) leaveSession(TEXTS.tokenRevoked);
    else onRevoked(token);
  };
  return (
    <FormDialog action={TEXTS.revokeToken} busy="Revoking…" isDangerous onSubmit={submit} onClose={onClose}>
      <p>
        <strong>{describe(token)}</strong>
        {` ${TEXTS.stopsWorking} `}
        {consequence(token, maker)}
      </p>
    </FormDialog>
  );
}

/** @param maker the token that has created the token of the page, if there is one */
function consequence({ name, current, app, maker: ownMaker }: Token, maker: string | null) {
  if (app) {
    return (
      <>
        The app <strong>{app.title}</strong> can sign in again for a new token. Its other tokens stay valid.
      </>
    );
  }
  const asks = TEXTS.asksAgain;
  if (current && ownMaker) return `It is ${asks}`;
  if (ownMaker) return 'The token that created it stays valid, and can create a new one.';
  const ending = 'Tokens created with it are revoked too.';
  if (current) return `It is ${asks} ${ending}`;
  if (name === maker) return `It created ${asks} ${ending}`;
  return `${ending} Only the operator can create a new one. App tokens stay valid.`;
}

/** The expiry of a token, marked if it is near. Tokens of apps always expire soon. */
function Expiry({ token: { level, expireTime } }: { readonly token: Token }) {
  const isMarked = useTimeLeft(expireTime) < NEAR_MS && level === 'ACCOUNT';
  return (
    <span class={isMarked ? 'mark warning' : undefined}>
      <Time value={expireTime} />
    </span>
  );
}

/** Returns the title of a token, or the title of its app. */
function titleOf({ title, app }: Token): string | undefined {
  return title || app?.title;
}

/** Returns the title of a token, or its name if it has none. */
function describe(token: Token): string {
  const title = titleOf(token);
  return title ? quoted(title) : token.name;
}
