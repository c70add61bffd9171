import { Command, Copy } from '../copy.tsx';
import { WalletsDocument, type WalletsQuery } from '../documents.ts';
import { More, useList } from '../list.tsx';
import { NETWORKS } from '../networks.ts';
import { Time } from '../time.tsx';

/** A wallet in the list of a project. */
export type Wallet = NonNullable<WalletsQuery['node']>['wallets']['nodes'][number];

/** The wallets of a project. */
export function Wallets({ project }: { project: string }) {
  const list = useList(WalletsDocument, { project }, ({ node }) => node?.wallets);
  return (
    <section aria-labelledby="wallets">
      <h2 id="wallets">
        Wallets <span class="muted">{list.totalCount}</span>
      </h2>
      <ul class="rows">
        {list.nodes.map((wallet) => (
          <WalletRow key={wallet.name} wallet={wallet} />
        ))}
      </ul>
      {list.totalCount === 0 && (
        <div class="empty">
          <p>The project has no wallets. On the host of the gateway, this registers one:</p>
          <Command
            text={`paw wallet create --project ${project} --title "First wallet" --network NETWORK_ETHEREUM --address 0x…`}
          />
        </div>
      )}
      <More list={list} />
    </section>
  );
}

function WalletRow({ wallet: { title, description, network, address, updateTime } }: { wallet: Wallet }) {
  const { title: networkTitle, isTestnet } = NETWORKS[network] ?? { title: network, isTestnet: false };
  return (
    <li>
      <h3>{title}</h3>
      {description && <p class="muted">{description}</p>}
      <dl>
        <div>
          <dt>Network</dt>
          <dd>
            {networkTitle} {isTestnet && <span class="mark">Testnet</span>}
          </dd>
        </div>
        <div>
          <dt>Address</dt>
          <dd>
            <code>{address}</code> <Copy text={address} label={`address of ${title}`} />
          </dd>
        </div>
        <div>
          <dt>Updated</dt>
          <dd>
            <Time value={updateTime} />
          </dd>
        </div>
      </dl>
    </li>
  );
}
