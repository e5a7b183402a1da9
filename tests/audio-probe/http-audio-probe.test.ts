import type { Socket } from 'node:net';
import { expect } from 'chai';
import { HttpAudioProbe } from '../../src/adapters/audio-probe/http-audio-probe.js';
import type { AudioFinding } from '../../src/domain/stream-check.js';
import { anHttpUrl } from '../support/builders.js';
import { RawServer, aac, answer, mp3 } from '../support/raw-server.js';

const OK = 'HTTP/1.1 200 OK\nContent-Type: audio/mpeg';
const HLS = 'HTTP/1.1 200 OK\nContent-Type: application/vnd.apple.mpegurl';
const AN_HOUR = 3_600_000;

const heard = (codec: string | null, bitrate: number | null = null): AudioFinding => ({
  outcome: 'audio',
  detail: '',
  codec,
  bitrate,
});
const failed = (outcome: AudioFinding['outcome'], detail: string): AudioFinding => ({
  outcome,
  detail,
  codec: null,
  bitrate: null,
});

describe('Asking a server for audio', () => {
  let server: RawServer | undefined;
  afterEach(() => server?.stop());

  /** Serves these answers by path, and asks for the path. */
  const probing = async (
    path: string,
    answers: Readonly<Record<string, Buffer | string | ((socket: Socket) => void)>>,
    timeoutMilliseconds = AN_HOUR,
  ): Promise<AudioFinding> => {
    server = await RawServer.start((asked, socket) => {
      const found = answers[asked] ?? 'HTTP/1.1 404 Not Found\r\n\r\n';
      if (typeof found !== 'function') return found;
      found(socket);
      return null;
    });
    const probe = new HttpAudioProbe({
      userAgent: 'radio-directory/1.2.3',
      timeoutMilliseconds,
      allowPrivate: true,
    });
    return probe.probe(anHttpUrl(`http://127.0.0.1:${server.port}${path}`));
  };

  describe('that gives some', () => {
    it('Icecast: with the bitrate of its headers', async () => {
      const head = `HTTP/1.0 200 OK
Server: Icecast 2.4.4
Content-Type: audio/aacp
icy-br:64, 64
icy-name: Radio`;
      expect(await probing('/live', { '/live': answer(head, aac()) })).to.deep.equal(heard('aac', 64));
    });

    it('Icecast: with the bitrate of its audio information', async () => {
      const head = `${OK}\nice-audio-info: ice-samplerate=44100;ice-bitrate=192;ice-channels=2`;
      expect(await probing('/', { '/': answer(head, mp3()) })).to.deep.equal(heard('mp3', 192));
    });

    it('Shoutcast: ICY 200 OK, which is no HTTP', async () => {
      const head = `ICY 200 OK
icy-notice1:<BR>This stream requires <a href="http://www.winamp.com/">Winamp</a><BR>
icy-br:128
content-type:audio/mpeg`;
      expect(await probing('/', { '/': answer(head, mp3()) })).to.deep.equal(heard('mp3', 128));
    });

    it('a stream that never ends, of which it takes no more than it needs', async () => {
      let closed: Promise<unknown> | undefined;
      const endless = (socket: Socket) => {
        closed = new Promise((resolve) => socket.once('close', resolve));
        socket.write(answer(OK));
        const more = () => {
          while (socket.writable && socket.write(mp3(40)));
        };
        socket.on('drain', more);
        more();
      };
      expect(await probing('/', { '/': endless })).to.deep.equal(heard('mp3', 128));
      await closed;
    });

    it('in chunks, cut anywhere', async () => {
      const audio = mp3(6);
      const chunks = [audio.subarray(0, 100), audio.subarray(100, 1_000), audio.subarray(1_000)].map((part) =>
        Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
      );
      const body = Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
      const found = await probing('/', { '/': answer(`${OK}\nTransfer-Encoding: chunked`, body) });
      expect(found).to.deep.equal(heard('mp3', 128));
    });

    it('with no media type, or a wrong one, where the bytes are audio', async () => {
      const ogg = Buffer.concat([Buffer.from('OggS\u0000\u0002 OpusHead\u0001\u0002'), Buffer.alloc(600)]);
      for (const [head, body, expected] of [
        ['HTTP/1.1 200 OK', mp3(), heard('mp3', 128)],
        ['HTTP/1.1 200 OK\nContent-Type: application/octet-stream', aac(), heard('aac')],
        ['HTTP/1.1 200 OK\nContent-Type: text/html', mp3(), heard('mp3', 128)],
        ['HTTP/1.1 200 OK\nContent-Type: audio/mpeg', ogg, heard('opus')],
      ] as const) {
        expect(await probing('/', { '/': answer(head, body) })).to.deep.equal(expected);
        await server?.stop();
        server = undefined;
      }
    });

    it('from the middle of a frame', async () => {
      expect(await probing('/', { '/': answer(OK, mp3().subarray(123)) })).to.deep.equal(heard('mp3', 128));
    });

    it('that nobody recognises, but its media type', async () => {
      const bytes = Buffer.from(Array.from({ length: 2_000 }, (_, index) => (index * 7) % 32));
      const head = 'HTTP/1.1 200 OK\nContent-Type: audio/x-flac; rate=44100';
      expect(await probing('/', { '/': answer(head, bytes) })).to.deep.equal(heard('flac'));
    });

    it('behind redirects, relative and absolute, with the query', async () => {
      const found = await probing('/a', {
        '/a': answer('HTTP/1.1 302 Found\nLocation: b?x=1#now'),
        '/b?x=1': (socket) =>
          void socket.end(answer(`HTTP/1.1 301 Moved\nlocation: //127.0.0.1:${socket.localPort}/c`)),
        '/c': answer(OK, mp3()),
      });
      expect(server?.requests.map((request) => request.split('\r\n')[0])).to.deep.equal([
        'GET /a HTTP/1.1',
        'GET /b?x=1 HTTP/1.1',
        'GET /c HTTP/1.1',
      ]);
      expect(found).to.deep.equal(heard('mp3', 128));
    });

    it('behind playlists: M3U and PLS', async () => {
      const found = await probing('/list.m3u', {
        '/list.m3u': answer(
          'HTTP/1.1 200 OK\nContent-Type: audio/x-mpegurl',
          '#EXTM3U\n#EXTINF:-1,A\n/list.pls\n',
        ),
        '/list.pls': answer(
          'HTTP/1.1 200 OK\nContent-Type: text/plain',
          '[playlist]\nNumberOfEntries=1\nFile1=live\n',
        ),
        '/live': answer(OK, mp3()),
      });
      expect(found).to.deep.equal(heard('mp3', 128));
    });

    it('as HLS: by the variant and its newest segment', async () => {
      const found = await probing('/m.m3u8', {
        '/m.m3u8': answer(
          HLS,
          '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=96000,CODECS="mp4a.40.2"\nlow/media.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=320000\nhigh.m3u8\n',
        ),
        '/low/media.m3u8': answer(
          HLS,
          '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n#EXTINF:6,\n2.ts\n',
        ),
        '/low/2.ts': answer('HTTP/1.1 200 OK\nContent-Type: video/mp2t', Buffer.alloc(1_880, 0x47)),
      });
      expect(found).to.deep.equal(heard('aac', 96));
    });

    it('and is told who asks, and for what, politely', async () => {
      await probing('/live?a=b', { '/live?a=b': answer(OK, mp3()) });
      expect(server?.requests).to.deep.equal([
        `GET /live?a=b HTTP/1.1\r\nHost: 127.0.0.1:${server?.port}\r\nUser-Agent: radio-directory/1.2.3\r\nAccept: */*\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n`,
      ]);
    });
  });

  describe('that gives none', () => {
    for (const [title, path, answers, outcome, detail] of [
      ['an error', '/x', {}, 'refused', 'HTTP 404'],
      ['Shoutcast is full', '/', { '/': 'ICY 401 Service Unavailable\r\n\r\n' }, 'refused', 'HTTP 401'],
      [
        'a page that calls itself audio',
        '/',
        { '/': answer(OK, '\n<!DOCTYPE html><html><body>Buy this domain</body></html>') },
        'not-audio',
        'a page that calls itself audio/mpeg',
      ],
      [
        'a page',
        '/',
        { '/': answer('HTTP/1.1 200 OK\nContent-Type: text/html', '<html></html>') },
        'not-audio',
        'a page',
      ],
      [
        'a sentence',
        '/',
        { '/': answer(OK, 'The server is full.') },
        'not-audio',
        'text that calls itself audio/mpeg',
      ],
      ['nothing', '/', { '/': answer(OK) }, 'not-audio', 'nothing but headers'],
      [
        'a chunk whose length never ends',
        '/',
        { '/': answer(`${OK}\nTransfer-Encoding: chunked`, '0'.repeat(200_000)) },
        'not-audio',
        'chunks with hardly anything in them',
      ],
      ['no answer', '/', { '/': '' }, 'not-audio', 'no answer at all'],
      [
        'half an answer',
        '/',
        { '/': 'HTTP/1.1 200 OK\r\nContent-Ty' },
        'not-audio',
        'an answer that breaks off',
      ],
      ['another protocol', '/', { '/': 'SSH-2.0-OpenSSH_9.2\r\n' }, 'not-audio', 'no HTTP answer'],
      ['no status', '/', { '/': 'HTTP/1.1 abc\r\n\r\n' }, 'not-audio', 'no HTTP answer'],
      [
        'unknown bytes',
        '/',
        { '/': answer('HTTP/1.1 200 OK\nContent-Type: image/png', Buffer.alloc(600)) },
        'not-audio',
        'image/png',
      ],
      [
        'an HLS playlist without segments',
        '/',
        { '/': answer(HLS, '#EXTM3U\n#EXT-X-TARGETDURATION:6\n') },
        'not-audio',
        'an HLS playlist without segments',
      ],
      [
        'an HLS playlist whose segment is gone',
        '/',
        { '/': answer(HLS, '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\ngone.ts\n') },
        'refused',
        'HTTP 404',
      ],
      ['an empty playlist', '/', { '/': answer(HLS, '#EXTM3U\n') }, 'not-audio', 'an empty playlist'],
      [
        'a circle of redirects',
        '/a',
        {
          '/a': answer('HTTP/1.1 302 Found\nLocation: /b'),
          '/b': answer('HTTP/1.1 302 Found\nLocation: /a#once-more'),
        },
        'endless-redirects',
        'leads back to itself',
      ],
      [
        'a playlist that names itself',
        '/a.m3u',
        { '/a.m3u': answer('HTTP/1.1 200 OK\nContent-Type: audio/x-mpegurl', '#EXTM3U\na.m3u\n') },
        'endless-redirects',
        'leads back to itself',
      ],
      [
        'a redirect to nowhere',
        '/',
        { '/': 'HTTP/1.1 302 Found\r\n\r\n' },
        'endless-redirects',
        'leads back to itself',
      ],
      [
        'a redirect to another scheme',
        '/',
        { '/': answer('HTTP/1.1 302 Found\nLocation: file:///etc/passwd') },
        'refused',
        'leads to no http address',
      ],
      [
        'a redirect to a huge address',
        '/',
        { '/': answer(`HTTP/1.1 302 Found\nLocation: /${'x'.repeat(8_000)}`) },
        'refused',
        'leads to no http address',
      ],
    ] as const)
      it(`but ${title}`, async () => {
        expect(await probing(path, answers)).to.deep.equal(failed(outcome, detail));
      });

    it('but redirects without end', async () => {
      let count = 0;
      server = await RawServer.start(() => answer(`HTTP/1.1 307 Temporary\nLocation: /${(count += 1)}`));
      const probe = new HttpAudioProbe({ userAgent: 'x', timeoutMilliseconds: AN_HOUR, allowPrivate: true });
      const found = await probe.probe(anHttpUrl(`http://127.0.0.1:${server.port}/`));
      expect(found).to.deep.equal(failed('endless-redirects', 'more than 8'));
      expect(server.requests).to.have.length(9);
    });

    it('but headers without end, of which it reads a few kilobytes', async () => {
      const endless = (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const more = () => {
          while (socket.writable && socket.write(`X-Header: ${'x'.repeat(1_000)}\r\n`));
        };
        socket.on('drain', more);
        more();
      };
      const found = await probing('/', { '/': endless });
      expect(found).to.deep.equal(failed('not-audio', 'headers of more than 16384 bytes'));
    });

    for (const [title, begin] of [
      ['before its headers', ''],
      ['after its headers', `${OK.replaceAll('\n', '\r\n')}\r\n\r\n`],
      ['after a few bytes of audio', `${OK.replaceAll('\n', '\r\n')}\r\n\r\nabc`],
    ] as const)
      it(`but silence ${title}`, async () => {
        const found = await probing('/', { '/': (socket) => void socket.write(begin) }, 300);
        expect(found).to.deep.equal(failed('stalled', 'no audio within 0 s'));
      });

    it('because nobody listens there', async () => {
      server = await RawServer.start(() => '');
      const { port } = server;
      await server.stop();
      server = undefined;
      const probe = new HttpAudioProbe({ userAgent: 'x', timeoutMilliseconds: AN_HOUR, allowPrivate: true });
      const found = await probe.probe(anHttpUrl(`http://127.0.0.1:${port}/`));
      expect(found).to.deep.equal(failed('unreachable', 'ECONNREFUSED'));
    });
  });
});

describe('The addresses that may be asked', () => {
  const probing = async (
    url: string,
    resolve: (host: string) => Promise<{ address: string; family: number }[]>,
  ): Promise<AudioFinding> =>
    new HttpAudioProbe({ userAgent: 'x', timeoutMilliseconds: 500, resolve }).probe(anHttpUrl(url));
  const unasked = () => Promise.reject(new Error('No name is to be resolved.'));
  const FORBIDDEN = failed('forbidden-address', 'leads to a private or reserved address');

  for (const host of [
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0.0.0.0',
      '10.1.2.3',
      '172.31.255.255',
      '192.168.1.1',
    ],
    ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '203.0.113.9'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:8.8.8.8]', '[fe80::1]', '[fc00::1]', '[ff02::1]'],
    ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:db8::1]', '[2001::1]'],
  ])
    it(`are not ${host}`, async () => {
      expect(await probing(`http://${host}/`, unasked)).to.deep.equal(FORBIDDEN);
    });

  it('are none that a name leads to on the sly', async () => {
    for (const address of ['127.0.0.1', '::1', '10.0.0.1'])
      expect(
        await probing('http://radio.example/', async () => [
          { address, family: address.includes(':') ? 6 : 4 },
        ]),
      ).to.deep.equal(FORBIDDEN);
  });

  it('are the ones that were looked at, whatever the name would resolve to the next time', async () => {
    const server = await RawServer.start(() => answer(OK, mp3()));
    let asked = 0;
    const rebinding = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }];
    };
    const probe = new HttpAudioProbe({
      userAgent: 'x',
      timeoutMilliseconds: AN_HOUR,
      allowPrivate: true,
      resolve: rebinding,
    });
    // The system could not resolve this name: the connection is made without asking again.
    const found = await probe.probe(anHttpUrl(`http://rebind.invalid:${server.port}/`));
    expect(found).to.deep.equal(heard('mp3', 128));
    expect(asked).to.equal(1);
    await server.stop();
  });

  it('are looked at again after every redirect', async () => {
    const server = await RawServer.start(() =>
      answer('HTTP/1.1 302 Found\nLocation: http://inside.example/'),
    );
    const asked: string[] = [];
    const probe = new HttpAudioProbe({
      userAgent: 'x',
      timeoutMilliseconds: AN_HOUR,
      allowPrivate: true,
      resolve: async (host) => {
        asked.push(host);
        if (host === 'inside.example') throw new Error('resolved again');
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const found = await probe.probe(anHttpUrl(`http://outside.example:${server.port}/`));
    expect(asked).to.deep.equal(['outside.example', 'inside.example']);
    expect(found).to.deep.equal(failed('unreachable', 'the name is not resolved (resolved again)'));
    await server.stop();
  });

  it('tells a name that is not resolved, or has no address', async () => {
    const notFound = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
    expect(await probing('http://radio.example/', () => Promise.reject(notFound))).to.deep.equal(
      failed('unreachable', 'the name is not resolved (ENOTFOUND)'),
    );
    expect(await probing('http://radio.example/', async () => [])).to.deep.equal(
      failed('unreachable', 'the name has no address'),
    );
  });

  it('takes a resolver that never answers for one that stalls', async () => {
    const found = await probing('http://radio.example/', () => new Promise(() => {}));
    expect(found.outcome).to.equal('stalled');
  });
});
