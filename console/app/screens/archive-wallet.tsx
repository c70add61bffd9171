import { FormDialog } from '../controls/form.tsx';
import {
  ArchiveWalletDocument,
  UnarchiveWalletDocument,
  type WalletRowFragment,
} from '../generated/documents.ts';
import { useMutation } from '../query.ts';

type ArchiveWalletProps = {
  readonly wallet: WalletRowFragment;
  /** @param text what was done */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
};

/** The dialog that archives a wallet, or brings an archived one back. */
export function ArchiveWallet({ wallet: { name, title, archiveTime }, onDone, onClose }: ArchiveWalletProps) {
  const archive = useMutation(ArchiveWalletDocument);
  const unarchive = useMutation(UnarchiveWalletDocument);
  const submit = async () => {
    await (archiveTime ? unarchive : archive)({ input: { name } });
    onDone(archiveTime ? `Brought “${title}” back.` : `Archived “${title}”.`);
  };
  const action = archiveTime ? 'Bring the wallet back' : 'Archive the wallet';
  const consequence = archiveTime
    ? ' is in the lists again, and can be edited.'
    : ' leaves the lists, and can’t be edited until you bring it back. It keeps its address.';
  return (
    <FormDialog
      title={`${action}?`}
      action={action}
      busy={archiveTime ? 'Bringing back…' : 'Archiving…'}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        <strong>{title}</strong>
        {consequence}
      </p>
    </FormDialog>
  );
}
