import './requests.css';
import { Copy } from './copy.tsx';
import { curlOf } from './curl.ts';
import { HAS_GRAPHIQL } from './page.ts';
import { type SentRequest, sentRequests } from './request.ts';
import { sessionState } from './session.ts';
import { useStore } from './store.ts';
import { TIME_OF_DAY } from './time.tsx';

/** The drawer with the last requests of the console. It covers nothing. */
export function Requests({ onClose }: { onClose: () => void }) {
  const requests = useStore(sentRequests);
  return (
    <aside
      class="requests"
      aria-label="Requests"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <div class="heading">
        <h2>Requests</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <p class="muted">
        The last requests of the console, the newest first. <code>TOKEN</code> stands for your token.
      </p>
      <ol>
        {requests.map((sent) => (
          <li key={sent.number}>
            <Details sent={sent} />
          </li>
        ))}
      </ol>
    </aside>
  );
}

function Details({ sent }: { sent: SentRequest }) {
  const { document, status, time, requestId } = sent;
  const { isKept } = useStore(sessionState);
  const variables = JSON.stringify(sent.variables, null, 2);
  const [, name = 'Request'] = /^\w+ (\w+)/.exec(document) ?? [];
  return (
    <details>
      <summary>
        <strong>{name}</strong>{' '}
        <small>
          {status || 'No answer'} · {TIME_OF_DAY.format(time)}
        </small>
      </summary>
      <Text title="GraphQL" text={document} />
      {variables !== '{}' && <Text title="Variables" text={variables} />}
      <Text title="curl" text={curlOf(sent)} />
      {requestId && <Text title="Request id" text={requestId} />}
      {HAS_GRAPHIQL && (
        <a
          href={`./graphiql#query=${encodeURIComponent(document)}&variables=${encodeURIComponent(variables)}`}
          // biome-ignore lint/security/noBlankTarget: only an opener passes on the token that is kept for its tab
          target="_blank"
          rel="opener"
        >
          Open in GraphiQL
        </a>
      )}
      {HAS_GRAPHIQL && !isKept && <small>Enter the token there: it is not kept for this tab.</small>}
    </details>
  );
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <h3>
        {title} <Copy text={text} label={title} />
      </h3>
      <pre>{text}</pre>
    </section>
  );
}
