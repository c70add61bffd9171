console.log(
  'Left out: lint, the generated files, the contracts, and the tests of the other projects. `npm run test:change` has those for a change, `.ci/run` all but those of the night, which are those of `.ci/night`.',
);
