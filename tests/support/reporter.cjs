'use strict';
const Mocha = require('mocha');

/** What the tests have to end in, once all of them ran. */
const END_MILLISECONDS = 20_000;

/** A test that failed half-way may have left a server or a connection behind, which would keep this process for ever. */
function endWhatDoesNotEnd() {
  console.log(
    `These tests do not end by themselves. Still open: ${process.getActiveResourcesInfo().join(', ')}`,
  );
  process.exit(1);
}

/**
 * Mocha's Spec reporter, then the tests that were skipped by name, then one plain line of totals. A test is skipped only
 * where the machine lacks something it needs (no server, no browser); with CI=true that is a failure.
 */
module.exports = class TotalsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.once('end', () => {
      const { passes, failures } = runner.stats;
      for (const title of skipped) console.log(`skipped: ${title}`);
      const refused = process.env.CI === 'true' ? skipped.length : 0;
      if (refused > 0) {
        console.log(`CI=true allows no skipped test: ${refused} count as failed.`);
        process.once('exit', () => (process.exitCode ||= 1));
      }
      console.log(`${passes} passed, ${failures + refused} failed, ${skipped.length} skipped`);
      setTimeout(endWhatDoesNotEnd, END_MILLISECONDS).unref();
    });
  }
};
