import { linkTo } from '../router.ts';
import { Copy } from './clipboard.tsx';

const WITH_SCREEN = /^(projects|wallets|apps)\//;

/** An id or an address, shortened in the middle, with a button that copies it whole. @param label its name */
export function ShortId({ text, label }: { text: string; label: string }) {
  return (
    <span class="short">
      <code title={text}>{shorten(text)}</code> <Copy text={text} label={label} />
    </span>
  );
}

/** An id or an address in one line, which has smaller letters in a narrow place, with a button that copies it. */
export function FullId({ text, label = 'ID' }: { text: string; label?: string }) {
  return (
    <span class="whole">
      <code>{text}</code> <Copy text={text} label={label} />
    </span>
  );
}

/** A link to a resource by its title, or by its name if that is all that is known. */
export function ResourceLink({ name, title }: { name: string; title?: string | null | undefined }) {
  const text = title ? <span title={title}>{title}</span> : <code title={name}>{shorten(name)}</code>;
  return WITH_SCREEN.test(name) ? <a href={linkTo(name)}>{text}</a> : text;
}

/** Returns a resource name or an address with its first and its last characters. */
export function shorten(text: string): string {
  return text.replace(/^(\w+\/.{4}|0x.{4}).+(.{4})$/, '$1…$2');
}
