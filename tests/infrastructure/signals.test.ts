import { expect } from 'chai';
import { onFirstSignal } from '../../src/infrastructure/signals.js';

describe('A signal to stop', () => {
  it('is heard once where npx repeats it, and no more when nobody listens', () => {
    const heard: string[] = [];
    const listeners = process.listenerCount('SIGTERM');
    const stopListening = onFirstSignal((signal) => heard.push(signal));
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGTERM', 'SIGTERM');
    expect(heard).to.deep.equal(['SIGTERM']);
    stopListening();
    expect(process.listenerCount('SIGTERM')).to.equal(listeners);
  });
});
