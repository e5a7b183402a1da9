import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { detectFormat } from '../../src/adapters/station-lists/detect.js';
import { fixture } from '../support/station-lists.js';

const detected = (head: string, fileName = 'stations') => {
  const format = detectFormat(head, fileName);
  return format.ok ? format.value : format.error.reason;
};

describe('The format of a station list', () => {
  for (const file of readdirSync(fixture('playlists')).filter((name) => /\.(m3u|pls)$/.test(name)))
    it(`is told from its content: ${file}`, () => {
      const head = readFileSync(fixture(`playlists/${file}`), 'utf8');
      expect(detected(head, 'download')).to.equal(file.slice(-3));
    });

  for (const [head, format] of [
    ['[\n{"name":"x"}', 'radio-browser'],
    ['[]', 'radio-browser'],
    ['{"name":"x"}\n{', 'radio-browser'],
    ['\r\n[Playlist]\r\nFile1=x', 'pls'],
    ['; made by hand\n[playlist]', 'pls'],
    ['File1=http://a.example/', 'pls'],
    ['#EXTM3U\n', 'm3u'],
    ['# mine\n\nhttps://a.example/', 'm3u'],
  ] as const)
    it(`is ${format} for ${JSON.stringify(head)}, whatever the name of the file`, () => {
      expect(detected(head, 'list.pls')).to.equal(format);
      expect(detected(head, 'list.json')).to.equal(format);
    });

  it('is told from the extension where the content says nothing', () => {
    expect(detected('', 'a.JSON')).to.equal('radio-browser');
    expect(detected('', 'a.ndjson')).to.equal('radio-browser');
    expect(detected('music/song.mp3', '/lists/a.b.m3u8')).to.equal('m3u');
    expect(detected('', 'a.pls')).to.equal('pls');
  });

  it('is refused by name for what is something else', () => {
    const asx = readFileSync(fixture('playlists/bbc-r3.asx'), 'utf8');
    expect(detected(asx, 'bbc-r3.asx')).to.equal('is a Windows Media playlist (ASX), which is not supported');
    expect(detected('<!doctype html>', 'a.m3u')).to.equal('is XML or HTML, not a list of stations');
    expect(detected('#EXTM3U\n#EXT-X-TARGETDURATION:6\n', 'a.m3u8')).to.match(/^is an HLS playlist/);
    expect(detected('', 'a.txt')).to.equal('is empty');
    expect(detected('hello', 'a.constructor')).to.match(/^is no list of stations/);
    expect(detected('\u0000\u0001', 'a')).to.match(/^is no list of stations/);
  });

  it('is told at once also for hostile heads', () => {
    for (const head of ['# '.repeat(2_048), '#\n'.repeat(2_048), '['.repeat(4_096), ' '.repeat(4_096)])
      expect(detected(head)).to.be.a('string');
  });
});
