/** Is called by a long work with the part that is done, such as a number of rows, and the whole, in the same unit. */
export type OnProgress = (part: number, whole: number) => void;
