import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { keptToken } from '../../kept-token.ts';
import { Check, Field, Form, type FormProps } from '../controls/form.tsx';
import { ViewerDocument } from '../generated/documents.ts';
import { Identity } from '../navigation.tsx';
import { useObservable } from '../observable.ts';
import { COMMAND } from '../page-elements.ts';
import { RequestError, request } from '../request.ts';
import { Screen } from '../screen.tsx';
import { beginSession, principalOf, refuseSuggestion, type Session, sessionState } from '../session.ts';

// What is often copied with a token: quotes, or the name of its scheme in a header.
const AROUND_TOKEN = /^(Bearer\s+)?["']?|["']$/gi;

/** The screen without a session. */
export function SignIn() {
  return (
    <Screen title="Enter a token">
      <p>With a token, you see and do here what it may: projects, their wallets and their apps.</p>
      <SignInForm />
    </Screen>
  );
}

/** A session that would take the place of another principal's. */
type Replacement = { readonly before: Session; readonly session: Session; readonly isKept: boolean };

/**
 * The form for a token. A token that is offered is tried at once. If the session of another principal is open or kept for
 * this tab, the person is asked, because any page can have a link with a token.
 */
export function SignInForm(buttons: Pick<FormProps, 'cancel' | 'onCancel'>) {
  const [replacement, setReplacement] = useState<Replacement>();
  const { reason, offered, isKept = true } = useObservable(sessionState);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useLayoutEffect(() => {
    if (offered === undefined || input.current === null) return;
    input.current.value = offered;
    input.current.form?.requestSubmit();
  }, [offered]);
  if (replacement) return <Replace {...replacement} onStay={() => setReplacement(undefined)} />;
  const enter = async (token: string, isKept: boolean) => {
    const session = await checkToken(token);
    const before = await sessionBefore(token);
    if (before && principalOf(before.viewer) !== principalOf(session.viewer))
      setReplacement({ before, session, isKept });
    else beginSession(session, isKept);
  };
  return (
    <>
      {reason && (
        <p class="reason" role="alert">
          {reason}
        </p>
      )}
      <Form
        action="Continue"
        busy="Checking…"
        onSubmit={({ token = '', keep }) => enter(token.trim().replace(AROUND_TOKEN, ''), keep !== undefined)}
        {...buttons}
      >
        <Field
          name="token"
          label="Token"
          hint={
            <>
              An account token, which <code>{COMMAND} token create</code> prints, or the project token of an
              app.
            </>
          }
        >
          {(control) => (
            <input {...control} ref={input} type="password" autocomplete="off" spellcheck={false} />
          )}
        </Field>
        <Check
          name="keep"
          label="Keep for this tab"
          hint="Otherwise a reload or a new tab asks for it again."
          isChecked={isKept}
        />
      </Form>
    </>
  );
}

function Replace({ before, session, isKept, onStay }: Replacement & { readonly onStay: () => void }) {
  const question = useRef<HTMLParagraphElement>(null);
  // The first button is the one to stay.
  useEffect(() => question.current?.closest('form')?.querySelector('button')?.focus(), []);
  const { app, account } = session.viewer;
  const stay = () => {
    refuseSuggestion(before);
    onStay();
  };
  return (
    <Form
      action={`Continue as ${app?.title || account}`}
      busy="Checking…"
      onSubmit={async () => beginSession(session, isKept)}
      cancel="Stay"
      onCancel={stay}
    >
      <p ref={question}>This ends the session with</p>
      <Identity viewer={before.viewer} />
      <p>and begins one with</p>
      <Identity viewer={session.viewer} />
    </Form>
  );
}

/** Returns the session that is open, or whose token is kept for this tab, unless it has ended or `token` is that token. */
async function sessionBefore(token: string): Promise<Session | undefined> {
  const { session } = sessionState.value;
  const kept = keptToken();
  if (session || kept === undefined || kept === token) return session;
  return sessionOf(kept).catch((error) => {
    if (error instanceof RequestError && error.details.status === 401) return undefined;
    throw error;
  });
}

async function sessionOf(token: string): Promise<Session> {
  const { viewer } = await request(ViewerDocument, {}, { token });
  return { token, viewer };
}

/** Returns the session of an entered token. A reason against the token is shown at its field. */
async function checkToken(token: string): Promise<Session> {
  const refuse = (text: string) => RequestError.ofField('token', text);
  if (token.startsWith('paw_key_'))
    throw refuse('This is the private key of an app. Enter the token that the app gets with it.');
  // Other characters can't be in a header.
  if (!/^[!-~]+$/.test(token)) throw refuse('A token has the form paw_acct_… or paw_app_….');
  return sessionOf(token).catch((error) => {
    throw error instanceof RequestError && error.details.status === 401 ? refuse(error.message) : error;
  });
}
