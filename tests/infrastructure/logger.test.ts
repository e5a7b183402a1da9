import { expect } from 'chai';
import { createLogger } from '../../src/infrastructure/logger.js';

describe('The log', () => {
  const linesOf = (level: string) => {
    const written: string[] = [];
    return { written, log: createLogger(level, { write: (line: string) => void written.push(line) }) };
  };

  it('is one line of JSON for each event, with its time and whatever stands in it', () => {
    const { written, log } = linesOf('info');
    const before = Date.now();
    log.info({ requestId: 'one', route: 'line\n{"forged":true}\r\n' }, 'request');
    expect(written).to.have.length(1);
    expect(written[0]).to.match(/^[^\r\n]*\n$/);
    const { time, ...told } = JSON.parse(written[0] ?? '') as { time: string };
    expect(told).to.deep.equal({
      level: 30,
      requestId: 'one',
      route: 'line\n{"forged":true}\r\n',
      msg: 'request',
    });
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(time)).to.be.within(before, Date.now());
  });

  it('has what its level asks for', () => {
    const { written, log } = linesOf('warn');
    log.info('less');
    log.warn('enough');
    log.error('more');
    expect(written.map((line) => (JSON.parse(line) as { msg: string }).msg)).to.deep.equal([
      'enough',
      'more',
    ]);
  });
});
