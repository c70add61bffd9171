/** Is called by a long work with the part that is done, such as a number of rows, and the whole, in the same unit. */
export type OnProgress = (part: number, whole: number) => void;

/** Returns a function that adds to what is done of `whole`. */
export function meterOf(onProgress: OnProgress | undefined, whole: number): (done: number) => void {
  let part = 0;
  onProgress?.(part, whole);
  return (done) => {
    part += done;
    onProgress?.(part, whole);
  };
}
