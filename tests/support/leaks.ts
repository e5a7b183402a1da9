/** Which of the secrets stand in the text, in any form that they may have got; each with the line around it. */
export function leaksIn(text: string, kept: Iterable<string>): string[] {
  return [...kept].flatMap((secret) => {
    const form = formsOf(secret).find((candidate) => text.includes(candidate));
    if (form === undefined) return [];
    const at = text.indexOf(form);
    return [`${JSON.stringify(secret)} in ${text.slice(Math.max(0, at - 200), at + form.length + 100)}`];
  });
}

/** Password hashes, JWTs, API tokens and mail addresses, whoever's they are. */
const SECRET_SHAPES = [
  /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/,
  /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/,
  /rdo_[\w-]{43}/,
  /[\w.+-]+@[\w-]+\.[\w.-]+/,
];

/** What nobody had to name to be seen as a secret; each with the line around it. */
export function leaksByShapeIn(text: string): string[] {
  return SECRET_SHAPES.flatMap((shape) => {
    const found = shape.exec(text);
    return found ? leaksIn(text, [found[0]]) : [];
  });
}

/** As it is, in JSON, in a URL, in hexadecimal, and in base64 wherever it begins. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const base64 = [0, 1, 2].map((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
    // Characters that hold bits of what stands before and after are left out.
    const last = Math.floor((shifted.length * 8) / 6);
    return shifted.toString('base64').slice(Math.ceil((shift * 8) / 6), last);
  });
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const inUrl = encodeURIComponent(bytes.toString());
  return [
    secret,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    inUrl,
    bytes.toString('hex'),
    ...base64,
    ...base64url,
  ];
}
