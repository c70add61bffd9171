import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { enteredToken, keptToken, SECRET_LENGTH } from '../../kept-token.ts';
import { Check, Field, Form, type FormProps } from '../controls/form.tsx';
import { ViewerDocument } from '../generated/documents.ts';
import { Identity } from '../navigation.tsx';
import { useObservable } from '../observable.ts';
import { COMMAND } from '../page-elements.ts';
import { RequestError, request } from '../request.ts';
import { Screen } from '../screen.tsx';
import { beginSession, principalOf, refuseSuggestion, type Session, sessionState } from '../session.ts';
import { TEXTS } from '../texts.ts';

/** The screen without a session. */
export function SignIn() {
  return (
    <Screen title={TEXTS.enterToken}>
      <p>Browse and manage the projects, wallets and apps that your token has access to.</p>
      <SignInForm />
    </Screen>
  );
}

/** A session that would replace another principal's. */
type Replacement = { readonly before: Session; readonly session: Session; readonly isKept: boolean };

/**
 * The form for a token. A token that is offered is tried immediately. If the session of another principal is open or kept
 * for this tab, the user is asked, because any page can have a link with a token.
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
        onSubmit={({ token = '', keep }) => enter(enteredToken(token), keep !== undefined)}
        onRefused={() => {
          if (input.current) input.current.value = '';
        }}
        {...buttons}
      >
        <Field
          name="token"
          label="Token"
          hint={
            <>
              Use an account token (from <code>{COMMAND} token create</code>) or the project token of an app.
            </>
          }
        >
          {(control) => (
            <input {...control} ref={input} type="password" autocomplete="off" spellcheck={false} />
          )}
        </Field>
        <Check
          name="keep"
          label={TEXTS.keepToken}
          hint="If not, you enter the token again after a reload or in a new tab."
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
      onSubmit={async () => beginSession(await sessionOf(session.token), isKept)}
      cancel="Stay"
      onCancel={stay}
    >
      <p ref={question}>This replaces your session for</p>
      <Identity viewer={before.viewer} />
      <p>with a session for</p>
      <Identity viewer={session.viewer} />
    </Form>
  );
}

/** Returns the session that is open, or whose token is kept for this tab and valid, unless `token` is that token. */
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
    throw refuse(
      'This is the private key of an app. Sign in with it to get a token, and enter the token here.',
    );
  const [start] = /^paw_(?:acct|app)_/.exec(token) ?? [];
  if (start === undefined) throw refuse(TEXTS.tokenForm);
  const full = start.length + SECRET_LENGTH;
  if (token.length < full) throw refuse(TEXTS.tokenCut(token.length, full));
  return sessionOf(token).catch((error) => {
    throw error instanceof RequestError && error.details.status === 401 ? refuse(error.message) : error;
  });
}
