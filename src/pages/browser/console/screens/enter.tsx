import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Field, Form, type FormProps } from '../form.tsx';
import { ViewerDocument } from '../generated-documents.ts';
import { RequestError, request } from '../request.ts';
import { Screen } from '../screen.tsx';
import { beginSession, sessionState } from '../session.ts';
import { useStore } from '../store.ts';

// What is often copied with a token: quotes, or the name of its scheme in a header.
const AROUND_TOKEN = /^\s*(Bearer\s+)?["']?|["']?\s*$/gi;

/** The screen without a session. */
export function Enter() {
  return (
    <Screen title="Enter a token">
      <p>With a token, you see and do here what it may: projects, their wallets and their apps.</p>
      <EnterForm />
    </Screen>
  );
}

/** The form for a token. A token that is offered is tried at once. */
export function EnterForm(buttons: Pick<FormProps, 'cancel' | 'onCancel'>) {
  const { reason, offered, isKept = false } = useStore(sessionState);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useLayoutEffect(() => {
    if (offered === undefined || input.current === null) return;
    input.current.value = offered;
    input.current.form?.requestSubmit();
  }, [offered]);
  return (
    <>
      {reason && (
        <p class="reason" role="alert">
          {reason}
        </p>
      )}
      <Form
        action="Continue"
        onSubmit={({ token = '', keep }) => enter(token.replace(AROUND_TOKEN, ''), keep !== undefined)}
        {...buttons}
      >
        <Field
          name="token"
          label="Token"
          hint={
            <>
              An account token, which <code>paw token create</code> prints, or the project token of an app.
            </>
          }
        >
          {(control) => (
            <input {...control} ref={input} type="password" autocomplete="off" spellcheck={false} />
          )}
        </Field>
        <label class="choice">
          <input type="checkbox" name="keep" defaultChecked={isKept} />
          <span>
            Keep for this tab <small>Otherwise a reload forgets it.</small>
          </span>
        </label>
      </Form>
    </>
  );
}

async function enter(token: string, isKept: boolean): Promise<void> {
  if (token.startsWith('paw_key_')) {
    throw RequestError.ofField(
      'token',
      'This is the private key of an app. Enter the token that the app gets with it.',
    );
  }
  // Other characters can't be in a header.
  if (!/^[!-~]+$/.test(token))
    throw RequestError.ofField('token', 'A token has the form paw_acct_… or paw_app_….');
  try {
    const { viewer } = await request(ViewerDocument, {}, { token });
    beginSession({ token, viewer }, isKept);
  } catch (error) {
    throw error instanceof RequestError && error.status === 401
      ? RequestError.ofField('token', error.message)
      : error;
  }
}
