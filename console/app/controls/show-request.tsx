import { useState } from 'preact/hooks';
import { COMMAND } from '../page-elements.ts';
import { firstRequestOf } from '../request.ts';
import { textsOf } from '../request-texts.ts';
import { sessionState } from '../session.ts';
import { Lines } from './clipboard.tsx';
import { gatewayUrl } from './secret.tsx';

// Undefined if the gateway has no explorers.
const GRAPHIQL = document.querySelector<HTMLAnchorElement>('#pages [href$=graphiql]')?.href;

/** A button that shows the request of `send`, in each form in which it can be sent. */
export function ShowRequest({ send }: { send: () => Promise<unknown> }) {
  // Empty while it is closed.
  const [kind, setKind] = useState('');
  const request = kind === '' ? undefined : firstRequestOf(send);
  const { viewer } = sessionState.value.session ?? {};
  const texts = request ? textsOf(request, { url: gatewayUrl(), command: COMMAND, viewer }) : {};
  const { GraphQL: query, Variables: variables = '', curl = 'Fill in the form first.', paw } = texts;
  // The values can have no text of the chosen kind.
  const text = texts[kind] ?? curl;
  const kinds = Object.keys(texts).map((each) => (
    <button
      key={each}
      type="button"
      class="small"
      aria-pressed={texts[each] === text}
      onClick={() => setKind(each)}
    >
      {each}
    </button>
  ));
  const toggle = () => setKind(kind ? '' : 'GraphQL');
  return (
    <>
      <button type="button" class="small" aria-expanded={kind !== ''} onClick={toggle}>
        Show the request
      </button>
      {kind && (
        <div class="request">
          <Lines title={kinds} label="request" text={text} />
          <p class="muted">
            {text.includes('$PAW_TOKEN') && 'PAW_TOKEN is your token. '}
            {text.includes('$PASSWORD') && 'PASSWORD is the password, escaped as in JSON. '}
            {text === paw && 'The operator runs this on the gateway’s host. '}
            {GRAPHIQL && query && (
              <a
                href={`${GRAPHIQL}#${new URLSearchParams({ query, variables })}`}
                target="_blank"
                rel="noopener"
              >
                Open in GraphiQL
              </a>
            )}
          </p>
        </div>
      )}
    </>
  );
}
