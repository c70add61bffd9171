import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A text of any length, of which one line is shown until the user asks for more. */
export function Folded({ text }: { text: string }) {
  const line = useRef<HTMLParagraphElement>(null);
  const [isCut, setIsCut] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  // Before the next layout: in an open one, nothing is cut.
  useLayoutEffect(() => {
    const { current } = line;
    if (current === null || isOpen) return;
    const observer = new ResizeObserver(() => setIsCut(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [text, isOpen]);
  if (text === '') return null;
  return (
    <div class={isOpen ? 'folded open' : 'folded'}>
      <p ref={line}>{text}</p>
      {(isCut || text.includes('\n')) && (
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Less' : 'More'}
        </button>
      )}
    </div>
  );
}
