/** The edits of a release, as functions of the texts of the files. */

/** A release. */
export type Release = {
  readonly version: string;
  /** The version that the files name so far. */
  readonly previous: string;
  /** The day of the release, such as `2026-11-28`. */
  readonly date: string;
  /** The repository on GitHub, such as `owner/name`. */
  readonly repository: string;
};

/** A version, as Semantic Versioning writes it. npm would publish a prerelease as the latest version, so there are none. */
export const VERSION = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/;

/** The pages and files that name the version or say how to obtain it. */
export const PAGES = ['README.md', 'SECURITY.md', 'docs/*.md', 'deploy/**/*.{md,yaml}'];

/**
 * The texts between `<!-- release: <name> -->` and `<!-- /release -->`. A page has what is true before the first release
 * there, or nothing.
 */
export const SECTIONS: Readonly<Record<string, (release: Release) => string>> = {
  obtain: (release) => `Without a checkout, run one of these lines, with Node 24.7 or later, or with Docker:

\`\`\`sh
npx paw-gateway demo
docker run --rm --env NODE_ENV= --publish 127.0.0.1:4000:4000 ${imageOf(release)} demo
\`\`\``,

  status: ({ version }) => `The latest version is ${version}.`,

  start: ({ version }) =>
    `Without a checkout, run \`npm install paw-gateway@${version}\` and \`npx paw-gateway serve\` in an empty folder. In step 2,
begin with \`paw() { npx paw-gateway "$@"; }\` there.`,

  package: ({ version }) => `If the server can reach npm, run \`npm install paw-gateway@${version}\` there.
Otherwise, download the package as a file:

\`\`\`sh
npm pack paw-gateway@${version}
\`\`\``,

  image: (release) => `The image of this release is \`${imageOf(release)}\`, for amd64 and arm64.`,

  supported: ({ version }) => {
    const series = version.replace(/\d+$/, 'x');
    return `| version | security fixes |
| --- | --- |
| ${series} | yes |
| earlier versions | no: upgrade to ${series} |`;
  },
};

/** The name of the image in the registry of GitHub, which has no capital letters. */
function imageOf({ repository, version }: Release): string {
  return `ghcr.io/${repository.toLowerCase()}:${version}`;
}

/** Dates the changes that are not released. @throws Error if there are none */
export function releaseChangelog(changelog: string, { version, date }: Release): string {
  const changes = changelog.split(/^## /m).find((section) => section.startsWith('[Unreleased]\n'));
  if (!changes || !/^- /m.test(changes))
    throw new Error('CHANGELOG.md has no changes in its section "## [Unreleased]".');
  return changelog.replace('## [Unreleased]\n', () => `## [Unreleased]\n\n## [${version}] - ${date}\n`);
}

/** Writes the sections of a page, and its versions: the one that is released, and the two after it, to which a page upgrades. */
export function releasePage(page: string, release: Release): string {
  const next = withFollowing(release.version);
  const versions = new Map(withFollowing(release.previous).map((version, index) => [version, next[index]]));
  return page
    .replace(/^.*(?:paw|version).*$/gim, (line) =>
      line.replace(/(?<![\d.])\d+\.\d+\.\d+(?!\.?\d)/g, (version) => versions.get(version) ?? version),
    )
    .replace(/(<!-- release: (\w+) -->).*?(<!-- \/release -->)/gs, (_section, start, name, end) => {
      const text = SECTIONS[name];
      if (text === undefined) throw new Error(`tools/release/edits.ts has no text for "release: ${name}".`);
      return `${start}\n${text(release)}\n${end}`;
    });
}

function withFollowing(version: string): readonly string[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [version, `${major}.${minor + 1}.0`, `${major}.${minor + 2}.0`];
}

/** Whether a version is newer than another one. */
export function isNewer(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) > 0;
}
