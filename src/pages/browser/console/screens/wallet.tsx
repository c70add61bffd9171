import { useState } from 'preact/hooks';
import { Copy } from '../clipboard.tsx';
import { WalletDocument } from '../generated-documents.ts';
import { Resource, Short } from '../name.tsx';
import { NetworkTitle } from '../networks.tsx';
import { Pending } from '../problem.tsx';
import { isMissing, nodeOf, useQuery } from '../query.ts';
import { NotFound, Screen } from '../screen.tsx';
import { seesAccount, useViewer } from '../session.ts';
import { Properties } from '../table.tsx';
import { Time } from '../time.tsx';
import { EditWallet } from './edit-wallet.tsx';
import { History } from './events.tsx';

/** A wallet and its history. @param name its resource name */
export function Wallet({ name }: { name: string }) {
  const query = useQuery(WalletDocument, { name });
  const wallet = nodeOf(query.data);
  const viewer = useViewer();
  const [isEditing, setIsEditing] = useState(false);
  const [done, setDone] = useState('');
  if (isMissing(query)) return <NotFound kind="Wallet" />;
  const edit = (
    <button type="button" onClick={() => setIsEditing(true)}>
      Edit wallet
    </button>
  );
  return (
    <Screen title={wallet?.title ?? 'Wallet'} aside={wallet && !viewer.readOnly && edit}>
      <p class="done" role="status">
        {done}
      </p>
      <Pending query={query} />
      {wallet && (
        <Properties
          of={[
            ['Description', wallet.description || '–'],
            ['Project', <Resource {...wallet.project} />],
            ['Network', <NetworkTitle network={wallet.network} />],
            [
              'Address',
              <>
                <code>{wallet.address}</code> <Copy text={wallet.address} label="address" />
              </>,
            ],
            ['Name', <Short text={name} label="name of the wallet" />],
            ['Created', <Time value={wallet.createTime} />],
            ['Updated', <Time value={wallet.updateTime} />],
          ]}
        />
      )}
      {wallet && seesAccount(viewer) && <History key={wallet.updateTime} resource={name} />}
      {wallet && isEditing && !viewer.readOnly && (
        <EditWallet
          wallet={wallet}
          onUpdated={({ title }) => {
            setDone(`Saved “${title}”.`);
            setIsEditing(false);
            query.reload();
          }}
          onClose={() => setIsEditing(false)}
        />
      )}
    </Screen>
  );
}
