// Ends the process with one line on a version of Node that is too old. It is JavaScript that such a version can parse. Each
// script of package.json runs it first.
const MIN_MAJOR = 24;
const MIN_MINOR = 7;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < MIN_MAJOR || (major === MIN_MAJOR && minor < MIN_MINOR)) {
  console.error(
    `paw: Node ${MIN_MAJOR}.${MIN_MINOR} or newer is required; this is Node ${process.versions.node}.`,
  );
  process.exit(1);
}
