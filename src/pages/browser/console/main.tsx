import './console.css';
import { Fragment, render } from 'preact';
import { Bar } from './bar.tsx';
import { Dialog } from './dialog.tsx';
import { readRoute, route } from './router.ts';
import { Screen } from './screen.tsx';
import { Enter, EnterForm } from './screens/enter.tsx';
import { Projects } from './screens/projects.tsx';
import { offerToken, principalOf, sessionState } from './session.ts';
import { useStore } from './store.ts';

function App() {
  const { session, reason } = useStore(sessionState);
  const path = useStore(route);
  if (session === undefined) return <Enter />;
  return (
    <Fragment key={principalOf(session.viewer)}>
      <Bar />
      <Fragment key={path}>{screenOf(path)}</Fragment>
      {reason !== undefined && (
        <Dialog title="Enter a token to continue">
          <EnterForm />
        </Dialog>
      )}
    </Fragment>
  );
}

function screenOf(path: string) {
  if (path === '/') return <Projects />;
  return (
    <Screen title="There is no such screen">
      <p>
        <a href="#/">Show the projects</a>
      </p>
    </Screen>
  );
}

function readAddress(): void {
  offerToken();
  readRoute();
}

const container = document.querySelector('#console');
if (container === null) throw new Error('The page has no element #console.');
container.replaceChildren();
readAddress();
addEventListener('hashchange', readAddress);
render(<App />, container);
