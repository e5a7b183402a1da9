/** Runs at the end of each test, and makes it fail by throwing. A hook that fails would end the whole run instead. */
export function atTheEndOfEachTest(check: () => void): void {
  beforeEach(function () {
    const test = this.currentTest;
    const body = test?.fn;
    if (!test || !body) return;
    test.fn = async function () {
      await Reflect.apply(body, this, []);
      check();
    };
  });
}
