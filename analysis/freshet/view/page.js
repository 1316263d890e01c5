// SPDX-License-Identifier: Apache-2.0
// The page of `freshet view`: asks the server for reduced frames of a run and draws them with WebGL 2.
"use strict";

const element = id => document.getElementById(id);
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const KEPT_BYTES = 384 << 20;       // of frames that are kept, so that playing them again is smooth
const PREFETCHED = 2;               // moments that are asked for while the ones before are shown
const POLL_RUNNING = 1000, POLL_IDLE = 5000;  // [ms]
const SLOW_FRAME = 45;              // of pictures while the view moves; fewer points are drawn above it [ms]
const ANGLE = 0.6;                  // of the picture's height [rad]
const SEQUENCE = [[28, 60, 140], [33, 122, 190], [86, 184, 216], [178, 226, 190], [250, 226, 110], [238, 138, 60], [200, 50, 47]];
const CATEGORIES = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [213, 94, 0], [204, 121, 167], [86, 180, 233], [240, 228, 66],
                    [148, 103, 189], [140, 140, 140], [127, 90, 60]];
const UNITS = {speed: "m/s", pressure: "Pa", velocity: "m/s", face_velocity: "m/s"};

// ------------------------------------------------------------------------------------------------------------ asking

/** The head and the arrays of an answer (see packets.py). */
function unpack(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const types = {uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array};
  const arrays = {};
  for (const [name, type, first, count] of head.arrays) arrays[name] = new types[type](buffer, 4 + size + first, count);
  return {head, arrays, bytes: buffer.byteLength};
}

/** The answer to a question; null if the server says that it is not there. */
async function ask(question, values = {}, signal = undefined) {
  const words = new URLSearchParams(values).toString();
  const response = await fetch(words ? `${question}?${words}` : question, {signal});
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(await response.text());
  return question === "state" ? response.json() : unpack(await response.arrayBuffer());
}

// ----------------------------------------------------------------------------------------------------- vectors, views

const subtract = (a, b) => a.map((v, i) => v - b[i]);
const add = (a, b, factor = 1) => a.map((v, i) => v + factor * b[i]);
const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const size = Math.hypot(...a); return a.map(v => v / size); };

/** A camera that turns around a place. Lengths in halves of the domain's diagonal, from its middle. */
class Camera {
  constructor() { this.setup([[0, 0, 0], [1, 1, 1]], [0, 1, 0], 3); }

  setup(box, up, dimension) {
    this.middle = add(box[0], box[1]).map(v => v / 2);
    this.scale = Math.hypot(...subtract(box[1], box[0]).slice(0, dimension)) / 2;
    this.half = subtract(box[1], box[0]).map(v => v / 2 / this.scale);
    this.up = up;
    const side = Math.abs(up[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0];
    this.right = unit(add(side, up, -dot(side, up)));
    this.front = cross(this.right, up);
    this.flat = dimension === 2;
    this.reset();
  }

  reset() {
    this.azimuth = this.flat ? 0 : 0.55;
    this.elevation = this.flat ? 0 : 0.32;
    this.target = [0, 0, 0];
    this.distance = 1;
    this.fitted = false;
  }

  /** Step back until the whole domain is in the picture. */
  fit(aspect) {
    const {back, right, upright} = this.axes(), slope = 0.94 * Math.tan(ANGLE / 2);
    this.distance = 0;
    for (let i = 0; i < 8; ++i) {
      const corner = this.half.map((v, d) => (i >> d) & 1 ? v : -v);
      const beside = Math.max(Math.abs(dot(corner, right)) / aspect, Math.abs(dot(corner, upright)));
      this.distance = Math.max(this.distance, dot(corner, back) + beside / slope);
    }
    this.fitted = true;
  }

  turn(azimuth, elevation) {
    this.azimuth += azimuth;
    this.elevation = clamp(this.elevation + elevation, -1.55, 1.55);
  }

  zoom(factor) { this.distance = clamp(this.distance * factor, 0.02, 30); }

  axes() {
    const level = add(this.front.map(v => v * Math.cos(this.azimuth)), this.right, Math.sin(this.azimuth));
    const back = add(level.map(v => v * Math.cos(this.elevation)), this.up, Math.sin(this.elevation));
    const right = unit(cross(this.up, level));
    return {back, right, upright: cross(back, right)};
  }

  /** Move what is looked at, in pictures' heights. */
  pan(x, y) {
    const {right, upright} = this.axes(), size = 2 * this.distance * Math.tan(ANGLE / 2);
    this.target = add(add(this.target, right, -x * size), upright, y * size);
  }

  /** The matrix from places to the picture, by columns, and the direction to the light. */
  matrix(aspect) {
    if (!this.fitted) this.fit(aspect);
    const {back, right, upright} = this.axes();
    const eye = add(this.target, back, this.distance);
    const focal = 1 / Math.tan(ANGLE / 2), near = this.distance * 0.02, far = this.distance + 6;
    const rows = [[...right.map(v => v * focal / aspect), -dot(right, eye) * focal / aspect],
                  [...upright.map(v => v * focal), -dot(upright, eye) * focal],
                  [...back.map(v => v * (near + far) / (near - far)), -dot(back, eye) * (near + far) / (near - far) + 2 * near * far / (near - far)],
                  [...back.map(v => -v), dot(back, eye)]];
    const columns = new Float32Array(16);
    rows.forEach((row, i) => row.forEach((v, j) => { columns[4 * j + i] = v; }));
    return {columns, focal, light: unit(add(add(back, upright, 0.8), right, 0.5))};
  }
}

// ----------------------------------------------------------------------------------------------------------- drawing

const SHADE = `
  vec3 shade(vec3 color, vec3 normal, vec3 light) { return color * (0.42 + 0.58 * max(dot(normal, light), 0.0)); }
  vec3 paint(sampler2D table, vec3 value, int kind, vec2 range) {
    if (kind == 2) return value;
    if (kind == 1) return texture(table, vec2((mod(value.x + 0.5, 256.0)) / 256.0, 0.5)).rgb;
    return texture(table, vec2(clamp((value.x - range.x) / max(range.y - range.x, 1e-30), 0.002, 0.998), 0.5)).rgb;
  }`;
const PROGRAMS = {
  points: {
    vertex: `
      in vec3 position; in vec3 color;
      uniform mat4 matrix; uniform vec3 low, step_; uniform vec2 color_scale; uniform float size, tallest;
      out vec3 value;
      void main() {
        gl_Position = matrix * vec4(low + step_ * position, 1.0);
        gl_PointSize = clamp(size / gl_Position.w, 1.3, tallest);
        value = color_scale.x + color_scale.y * color;
      }`,
    fragment: `
      in vec3 value;
      uniform sampler2D table; uniform int kind; uniform vec2 range; uniform vec3 light_seen; uniform bool flat_;
      void main() {
        vec2 place = 2.0 * gl_PointCoord - 1.0;
        float r = dot(place, place);
        if (r > 1.0) discard;
        vec3 color = paint(table, value, kind, range);
        pixel = vec4(flat_ ? color : shade(color, vec3(place.x, -place.y, sqrt(1.0 - r)), light_seen), 1.0);
      }`},
  mesh: {
    vertex: `
      in vec3 position; in vec3 normal; in float color;
      uniform mat4 matrix, pose; uniform vec3 low, step_; uniform vec2 color_scale;
      out vec3 value, facing;
      void main() {
        gl_Position = matrix * pose * vec4(low + step_ * position, 1.0);
        facing = mat3(pose) * (normal / 127.0 - 1.0);
        value = vec3(color_scale.x + color_scale.y * color);
      }`,
    fragment: `
      in vec3 value, facing;
      uniform sampler2D table; uniform int kind; uniform vec2 range; uniform vec3 light, plain;
      void main() {
        vec3 normal = normalize(facing + vec3(1e-9));
        if (!gl_FrontFacing) normal = -normal;
        vec3 color = kind == 3 ? plain : paint(table, value, kind, range);
        pixel = vec4(shade(color, normal, light), 1.0);
      }`},
  lines: {
    vertex: `
      in vec3 position; in vec3 corner; in float rank;
      uniform mat4 matrix; uniform vec3 low, step_; uniform float size;
      out vec3 value;
      void main() {
        gl_Position = matrix * vec4(low + step_ * (corner + size * position), 1.0);
        value = vec3(rank);
      }`,
    fragment: `
      in vec3 value;
      uniform sampler2D table; uniform int kind; uniform vec3 plain;
      void main() { pixel = vec4(kind == 3 ? plain : paint(table, value, kind, vec2(0.0)), 1.0); }`},
  slice: {
    vertex: `
      in vec2 position;
      uniform mat4 matrix; uniform vec3 low, first, second;
      out vec2 place;
      void main() { gl_Position = matrix * vec4(low + position.x * first + position.y * second, 1.0); place = position; }`,
    fragment: `
      in vec2 place;
      uniform sampler2D table;
      void main() { vec4 color = texture(table, place); if (color.a < 0.5) discard; pixel = vec4(color.rgb, 1.0); }`},
};
const KINDS = {number: 0, category: 1, rgb: 2, plain: 3};
const STILL = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

/** WebGL: programs, buffers, and one call for each kind of thing that is drawn. */
class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = this.gl = canvas.getContext("webgl2", {antialias: true, powerPreference: "high-performance"});
    if (!gl) throw new Error("This browser has no WebGL 2, which the picture needs.");
    this.programs = {};
    for (const [name, parts] of Object.entries(PROGRAMS)) this.programs[name] = this.program(parts);
    this.tables = {number: this.table(i => mixed(SEQUENCE, i / 255), gl.LINEAR),
                   category: this.table(i => CATEGORIES[i % CATEGORIES.length], gl.NEAREST)};
    const ends = [];
    for (let d = 0; d < 3; ++d) for (const a of [0, 1]) for (const b of [0, 1]) for (const c of [0, 1]) {
      const end = [0, 0, 0];
      end[d] = c; end[(d + 1) % 3] = a; end[(d + 2) % 3] = b;
      ends.push(...end);
    }
    this.cube = this.buffer(new Float32Array(ends));
    this.square = this.buffer(new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]));
    this.largest_point = gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1];
    gl.enable(gl.DEPTH_TEST);
  }

  program(parts) {
    const gl = this.gl, made = gl.createProgram();
    const head = "#version 300 es\nprecision highp float; precision highp int;\n";
    for (const [type, text] of [[gl.VERTEX_SHADER, head + parts.vertex],
                                [gl.FRAGMENT_SHADER, `${head}out vec4 pixel;\n${SHADE}\n${parts.fragment}`]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const places = {program: made};
    for (let i = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) - 1; i >= 0; --i) {
      const {name} = gl.getActiveUniform(made, i);
      places[name] = gl.getUniformLocation(made, name);
    }
    for (let i = gl.getProgramParameter(made, gl.ACTIVE_ATTRIBUTES) - 1; i >= 0; --i) {
      const {name} = gl.getActiveAttrib(made, i);
      places[name] = gl.getAttribLocation(made, name);
    }
    return places;
  }

  buffer(values, target = this.gl.ARRAY_BUFFER) {
    const made = this.gl.createBuffer();
    this.gl.bindBuffer(target, made);
    this.gl.bufferData(target, values, this.gl.STATIC_DRAW);
    return made;
  }

  table(color, filter) {
    const pixels = new Uint8Array(1024);
    for (let i = 0; i < 256; ++i) pixels.set([...color(i), 255], 4 * i);
    return this.texture(pixels, 256, 1, filter);
  }

  texture(pixels, width, height, filter) {
    const gl = this.gl, made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, filter);
    for (const which of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, which, gl.CLAMP_TO_EDGE);
    return made;
  }

  free(things) {
    for (const thing of things) {
      if (thing instanceof WebGLBuffer) this.gl.deleteBuffer(thing);
      if (thing instanceof WebGLTexture) this.gl.deleteTexture(thing);
    }
  }

  /** An attribute of the program in use; each value is kept for one vertex, or for `every` instances. */
  attribute(place, buffer, size, type, every = 0) {
    const gl = this.gl;
    if (place === undefined) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, false, 0, 0);
    gl.vertexAttribDivisor(place, every);
  }

  use(name, matrix) {
    const gl = this.gl, program = this.programs[name];
    for (let i = 0; i < 4; ++i) { gl.disableVertexAttribArray(i); gl.vertexAttribDivisor(i, 0); }
    gl.useProgram(program.program);
    gl.uniformMatrix4fv(program.matrix, false, matrix.columns);
    return program;
  }

  /** Size of the picture's buffer to that of the page's element, then clear. Returns its aspect. */
  begin(color) {
    const gl = this.gl, dense = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * dense)), height = Math.max(1, Math.round(this.canvas.clientHeight * dense));
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(...color.map(v => v / 255), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    return width / height;
  }

  paint_with(program, thing, range) {
    const gl = this.gl;
    gl.uniform1i(program.kind, KINDS[thing.kind]);
    gl.bindTexture(gl.TEXTURE_2D, thing.kind === "category" ? this.tables.category : this.tables.number);
    if (range) gl.uniform2f(program.range, ...range);
    gl.uniform2f(program.color_scale, thing.color_low, thing.color_step);
  }

  points(thing, matrix, look) {
    const gl = this.gl, program = this.use("points", matrix);
    gl.uniform3f(program.low, ...thing.low);
    gl.uniform3f(program.step_, ...thing.step);
    gl.uniform1f(program.size, look.radius * matrix.focal * this.canvas.height);
    gl.uniform1f(program.tallest, this.largest_point);
    gl.uniform3f(program.light_seen, ...unit([0.5, 0.8, 1]));
    gl.uniform1i(program.flat_, look.flat ? 1 : 0);
    this.paint_with(program, thing, look.range);
    this.attribute(program.position, thing.position, 3, gl.UNSIGNED_SHORT);
    this.attribute(program.color, thing.color, thing.kind === "rgb" ? 3 : 1, gl.UNSIGNED_SHORT);
    gl.drawArrays(gl.POINTS, 0, Math.ceil(thing.count * look.share));
  }

  mesh(thing, matrix, range, pose = STILL) {
    const gl = this.gl, program = this.use("mesh", matrix);
    gl.uniformMatrix4fv(program.pose, false, pose);
    gl.uniform3f(program.low, ...thing.low);
    gl.uniform3f(program.step_, ...thing.step);
    gl.uniform3f(program.light, ...matrix.light);
    gl.uniform3f(program.plain, ...(thing.plain || [0.6, 0.6, 0.6]));
    this.paint_with(program, thing, range);
    this.attribute(program.position, thing.position, 3, thing.exact ? gl.FLOAT : gl.UNSIGNED_SHORT);
    this.attribute(program.normal, thing.normal, 4, gl.UNSIGNED_BYTE);
    if (thing.color) this.attribute(program.color, thing.color, 1, gl.UNSIGNED_SHORT);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, thing.triangle);
    gl.drawElements(gl.TRIANGLES, thing.corners, gl.UNSIGNED_INT, 0);
  }

  /** Edges of boxes: corners [boxes' edges], a colour for each. */
  boxes(thing, matrix) {
    const gl = this.gl, program = this.use("lines", matrix);
    gl.uniform3f(program.low, ...thing.low);
    gl.uniform3f(program.step_, ...thing.step);
    gl.uniform1f(program.size, 1);
    gl.uniform3f(program.plain, ...(thing.plain || [1, 1, 1]));
    this.paint_with(program, thing);
    this.attribute(program.position, this.cube, 3, gl.FLOAT);
    this.attribute(program.corner, thing.corner, 3, gl.FLOAT, 1);
    if (thing.rank) this.attribute(program.rank, thing.rank, 1, gl.UNSIGNED_SHORT, 1);
    gl.drawArraysInstanced(gl.LINES, 0, 24, thing.count);
  }

  slice(thing, matrix) {
    const gl = this.gl, program = this.use("slice", matrix);
    gl.uniform3f(program.low, ...thing.low);
    gl.uniform3f(program.first, ...thing.first);
    gl.uniform3f(program.second, ...thing.second);
    gl.bindTexture(gl.TEXTURE_2D, thing.texture);
    this.attribute(program.position, this.square, 2, gl.FLOAT);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}

/** The colour at a share of a sequence of colours. */
function mixed(colors, share) {
  const place = clamp(share, 0, 1) * (colors.length - 1), first = Math.min(Math.floor(place), colors.length - 2);
  return colors[first].map((v, i) => Math.round(v + (place - first) * (colors[first + 1][i] - v)));
}

// ----------------------------------------------------------------------------------------------- the run, frame by frame

/** Frames in the graphics memory, by the question that they answer; the oldest are dropped. */
class Frames {
  constructor(painter) { this.painter = painter; this.kept = new Map(); this.bytes = 0; }

  /** The frame, or a promise of it; null if there is none. */
  get(key, make) {
    const known = this.kept.get(key);
    if (known) {
      this.kept.delete(key);
      this.kept.set(key, known);
      return known.value;
    }
    const entry = {value: null, bytes: 0};
    this.kept.set(key, entry);
    entry.value = make().then(made => {
      entry.value = made;
      entry.bytes = made ? made.bytes : 0;
      this.bytes += entry.bytes;
      this.trim();
      return made;
    }, error => { this.kept.delete(key); throw error; });
    return entry.value;
  }

  trim() {
    for (const [key, entry] of this.kept) {
      if (this.bytes <= KEPT_BYTES || this.kept.size <= 4 || entry.value instanceof Promise) break;
      this.kept.delete(key);
      this.bytes -= entry.bytes;
      if (entry.value) this.painter.free(Object.values(entry.value));
    }
  }

  clear() {
    for (const entry of this.kept.values()) if (entry.value && !(entry.value instanceof Promise)) this.painter.free(Object.values(entry.value));
    this.kept.clear();
    this.bytes = 0;
  }
}

const camera = new Camera();
let painter, frames, state = null, at = -1, wanted = -1, shown = {}, solids = [];
let playing = false, last_advance = 0, share = 1, moving_until = 0, drawn_last = 0, dirty = true;
let ranges = {}, curve_data = null, loading = false, wishes = 0, lost = false;

const setting = {
  get liquid() { return element("liquid").value; }, get color() { return element("color").value; },
  get budget() { return Number(element("budget").value); }, get field() { return element("field").value; },
};

/** Places of a frame in the camera's lengths. */
function placed(head) {
  return {low: subtract(head.low, camera.middle).map(v => v / camera.scale), step: head.step.map(v => v / camera.scale)};
}

function load_particles(index) {
  const color = setting.color, budget = setting.budget;
  return frames.get(`particles ${state.snapshots[index]} ${color} ${budget}`, async () => {
    const answer = await ask("particles", {snapshot: state.snapshots[index], budget, color});
    return answer && {...answer.head, ...placed(answer.head), name: color, bytes: answer.bytes,
                      position: painter.buffer(answer.arrays.position), color: painter.buffer(answer.arrays.color)};
  });
}

function load_surface(index) {
  const budget = Math.max(setting.budget, 100000);
  return frames.get(`surface ${state.times[index]} ${budget}`, async () => {
    const answer = await ask("surface", {t: state.times[index], budget});
    return answer && {...answer.head, ...placed(answer.head), name: "speed", bytes: answer.bytes, corners: answer.arrays.triangle.length,
                      position: painter.buffer(answer.arrays.position), color: painter.buffer(answer.arrays.color),
                      normal: painter.buffer(answer.arrays.normal),
                      triangle: painter.buffer(answer.arrays.triangle, painter.gl.ELEMENT_ARRAY_BUFFER)};
  });
}

function load_blocks(index) {
  return frames.get(`blocks ${state.snapshots[index]}`, async () => {
    const answer = await ask("blocks", {snapshot: state.snapshots[index]});
    if (!answer) return null;
    const size = answer.head.size / camera.scale;
    return {count: answer.head.count, are_all: answer.head.are_all, kind: "category", color_low: 0, color_step: 1, bytes: answer.bytes,
            low: subtract(answer.head.origin, camera.middle).map(v => v / camera.scale), step: [size, size, state.dimension === 2 ? 0 : size],
            corner: painter.buffer(answer.arrays.corner), rank: painter.buffer(answer.arrays.rank)};
  });
}

function load_slice(index) {
  const field = setting.field, axis = element("axis").value, place = element("place").value;
  return frames.get(`slice ${state.snapshots[index]} ${field} ${axis} ${place}`, async () => {
    const answer = await ask("slice", {snapshot: state.snapshots[index], field, axis, place: Number(place).toString()});
    return answer && {...answer.head, name: field, values: answer.arrays, bytes: answer.bytes};
  });
}

/** The picture of a slice with today's range of colours. */
function painted_slice(slice) {
  const range = range_of(slice, "slice " + slice.name);
  const pixels = new Uint8Array(4 * slice.rows * slice.columns);
  for (let i = 0; i < slice.rows * slice.columns; ++i) {
    if (!slice.values.mask[i]) continue;
    const value = slice.value_low + slice.value_step * slice.values.value[i];
    pixels.set([...mixed(SEQUENCE, (value - range[0]) / (range[1] - range[0] || 1)), 255], 4 * i);
  }
  const along = d => { const v = [0, 0, 0]; v[d] = 1; return v; };
  const gl = painter.gl;
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  return {texture: painter.texture(pixels, slice.columns, slice.rows, gl.NEAREST), range,
          low: subtract(slice.origin, camera.middle).map(v => v / camera.scale),
          first: along(slice.across[0]).map(v => v * slice.columns * slice.spacing[0] / camera.scale),
          second: along(slice.across[1]).map(v => v * slice.rows * slice.spacing[1] / camera.scale)};
}

async function load_solids() {
  const answer = await ask("solids");
  painter.free(solids.flatMap(solid => Object.values(solid)));
  solids = [];
  for (let i = 0; answer && i < answer.head.count; ++i) {
    solids.push({kind: "plain", exact: true, color_low: 0, color_step: 0, low: camera.middle.map(v => -v / camera.scale),
                 step: [1, 1, 1].map(v => v / camera.scale), plain: [0.62, 0.6, 0.56], corners: answer.arrays[`triangles ${i}`].length,
                 position: painter.buffer(answer.arrays[`points ${i}`]), normal: painter.buffer(answer.arrays[`normals ${i}`]),
                 triangle: painter.buffer(answer.arrays[`triangles ${i}`], painter.gl.ELEMENT_ARRAY_BUFFER)});
  }
  element("summary").title = answer && answer.head.missing.length ? `Not drawn: ${answer.head.missing.join("; ")}` : "";
  dirty = true;
}

/** The motion of a solid in the camera's lengths: x -> R x + t becomes one about the middle of the domain. */
function pose_matrix(pose) {
  if (!pose) return STILL;
  const turn = [0, 1, 2].map(i => pose.slice(4 * i, 4 * i + 3)), m = camera.middle;
  const matrix = new Float32Array(STILL);
  for (let i = 0; i < 3; ++i) {
    for (let j = 0; j < 3; ++j) matrix[4 * j + i] = turn[i][j];
    matrix[12 + i] = (dot(turn[i], m) + pose[4 * i + 3] - m[i]) / camera.scale;
  }
  return matrix;
}

/** Everything that is to be shown of a moment; what the run does not have is null. */
async function load(index) {
  const has_snapshot = state.snapshots[index] !== null;
  const nothing = Promise.resolve(null);
  const [particles, surface, blocks, slice, poses] = await Promise.all([
    setting.liquid === "particles" && has_snapshot ? load_particles(index) : nothing,
    setting.liquid === "surface" && state.surfaces[index] ? load_surface(index) : nothing,
    element("blocks").checked && has_snapshot ? load_blocks(index) : nothing,
    setting.field && has_snapshot ? load_slice(index) : nothing,
    state.solids && element("solids").checked ? frames.get(`poses ${state.times[index]}`, async () => {
      const answer = await ask("poses", {t: state.times[index]});
      return answer && {bytes: answer.bytes, poses: answer.head.poses};
    }) : nothing]);
  return {particles, surface, blocks, slice, poses: poses ? poses.poses : []};
}

/** Show a moment. While one is being loaded the newest wish waits. */
async function show(index) {
  if (!state || !state.times.length) return;
  wanted = clamp(index, 0, state.times.length - 1);
  ++wishes;
  element("time").value = wanted;
  write_clock();
  if (loading) return;
  loading = true;
  try {
    while (true) {
      const now = wanted, wish = wishes, found = await load(now);
      if (shown.painted) painter.free([shown.painted.texture]);
      shown = found;
      at = now;
      for (const thing of [found.particles, found.surface]) if (thing) widen(thing, thing.name);
      if (found.slice) widen(found.slice, "slice " + found.slice.name);
      shown.painted = found.slice ? painted_slice(found.slice) : null;
      tell_what_is_shown();
      draw_curves();
      dirty = true;
      if (wish === wishes) break;
    }
    heard();
    if (playing) for (let i = 1; i <= PREFETCHED; ++i) if (at + i < state.times.length) load(at + i).catch(() => {});
  } catch (error) {
    failed(error);
  } finally {
    loading = false;
  }
}

const again = () => show(wanted < 0 ? state.times.length - 1 : wanted);

/** Colours span what all frames so far needed, so that they do not change from frame to frame. */
function widen(thing, name) {
  if (!thing.range) return;
  const known = ranges[name] || [Infinity, -Infinity];
  ranges[name] = [Math.min(known[0], thing.range[0]), Math.max(known[1], thing.range[1])];
}

function range_of(thing, name) {
  const [low, high] = ranges[name] || thing.range || [0, 1];
  const given = id => element(id).value === "" ? null : Number(element(id).value);
  const own = name === active_name();
  return [own ? given("low") ?? low : low, own ? given("high") ?? high : high];
}

/** What the two numbers of the colours' range belong to. */
function active_name() {
  const thing = shown.particles || shown.surface;
  return thing ? thing.name : shown.slice ? "slice " + shown.slice.name : "";
}

// -------------------------------------------------------------------------------------------------------- the picture

function draw() {
  const style = getComputedStyle(document.documentElement);
  const rgb = name => style.getPropertyValue(name).trim().match(/\w\w/g).map(v => parseInt(v, 16));
  const aspect = painter.begin(rgb("--picture")), matrix = camera.matrix(aspect);
  const {particles, surface, blocks, painted} = shown;
  if (element("box").checked)
    painter.boxes({count: 1, kind: "plain", color_low: 0, color_step: 0, plain: rgb("--faint").map(v => v / 255),
                   low: camera.half.map(v => -v), step: camera.half.map((v, i) => i === 2 && state.dimension === 2 ? 0 : 2 * v),
                   corner: box_corner()}, matrix);
  if (element("solids").checked) solids.forEach((solid, i) => painter.mesh(solid, matrix, null, pose_matrix(shown.poses && shown.poses[i])));
  if (surface) painter.mesh(surface, matrix, range_of(surface, surface.name));
  if (particles && particles.count) {
    const spread = 2 ** (particles.level / state.dimension);
    painter.points(particles, matrix, {radius: 0.62 * state.spacing / camera.scale * spread * element("size").value, share: moving() ? share : 1,
                                       flat: state.dimension === 2, range: range_of(particles, particles.name)});
  }
  if (painted) painter.slice(painted, matrix);
  if (blocks && blocks.count) painter.boxes(blocks, matrix);
}

let corner_buffer = null;
function box_corner() { return corner_buffer || (corner_buffer = painter.buffer(new Float32Array(3))); }

const moving = () => performance.now() < moving_until;

/** The view changes now: fewer points are drawn for a moment if pictures take long. */
function move() { moving_until = performance.now() + 250; dirty = true; }

function each_picture(now) {
  if (playing && !loading && now - last_advance >= 1000 / Number(element("rate").value)) {
    last_advance = now;
    if (wanted < state.times.length - 1) show(wanted + 1);
    else if (!element("follow").checked) play(false);
  }
  if (moving()) {
    const took = now - drawn_last;
    if (took > SLOW_FRAME && took < 2000) share = Math.max(share / 1.5, 1 / 32);
    else if (took < SLOW_FRAME / 2) share = Math.min(share * 1.1, 1);
    dirty = true;
  } else if (moving_until) { moving_until = 0; dirty = true; }
  drawn_last = now;
  if (dirty && state) { dirty = false; draw(); }
  requestAnimationFrame(each_picture);
}

// ------------------------------------------------------------------------------------------------------------- texts

const unit_text = text => (text || "").replace("^2", "\u00b2").replace("^3", "\u00b3");
const short = value => value === null || value === undefined ? "" : value === 0 ? "0"
  : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
const grouped = value => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");

function write_clock() {
  const t = state.times[wanted];
  element("clock").textContent = t === undefined ? "" : `${t.toFixed(4).replace(/(\.\d\d+?)0+$/, "$1")} s  (${wanted + 1}/${state.times.length})`;
}

function tell_what_is_shown() {
  const {particles, surface, blocks, slice} = shown, parts = [];
  if (particles) parts.push(particles.count < particles.all ? `${grouped(particles.count)} of ${grouped(particles.all)} particles`
                                                            : `${grouped(particles.all)} particles`);
  if (surface) parts.push(surface.count < surface.all ? `${grouped(surface.count)} of ${grouped(surface.all)} triangles` : `${grouped(surface.all)} triangles`);
  if (blocks) parts.push(`${grouped(blocks.count)} ${blocks.are_all ? "blocks" : "blocks with liquid"}`);
  element("shown").textContent = parts.join(", ");
  const none = setting.liquid === "surface" && !surface ? "There is no surface at this time. A run writes surfaces with [output.surface] interval; `freshet mesh RUN` makes them of snapshots."
    : setting.liquid === "particles" && !particles ? "There is no snapshot at this time." : "";
  note(none);
  legend(particles || surface, slice);
}

function note(text) {
  element("note").textContent = text;
  element("note").hidden = !text;
}

function legend(thing, slice) {
  const place = element("legend");
  place.replaceChildren();
  if (thing && thing.kind === "number") place.append(bar(thing.name, range_of(thing, thing.name)));
  if (thing && thing.kind === "category") place.append(swatches(thing.name, thing.categories));
  if (slice) place.append(bar("slice of " + slice.name, range_of(slice, "slice " + slice.name), UNITS[slice.name]));
  if (shown.blocks && !(thing && thing.name === "rank")) place.append(swatches("blocks of rank", [...Array(Math.min(state.ranks, 16)).keys()]));
}

function bar(name, range, unit_ = UNITS[name]) {
  const made = document.createElement("div");
  const title = document.createElement("span"), strip = document.createElement("span"), ends = document.createElement("span");
  title.className = "name"; strip.className = "bar"; ends.className = "ends";
  title.textContent = unit_ ? `${name} [${unit_}]` : name;
  strip.style.background = `linear-gradient(to right, ${SEQUENCE.map(c => `rgb(${c})`).join(",")})`;
  for (const value of range) { const end = document.createElement("span"); end.textContent = short(value); ends.append(end); }
  made.append(title, strip, ends);
  return made;
}

function swatches(name, values) {
  const made = document.createElement("div"), list = document.createElement("div"), title = document.createElement("span");
  title.className = "name"; title.textContent = name; list.className = "swatches";
  for (const value of values.slice(0, 16)) {
    const one = document.createElement("span");
    one.textContent = value;
    one.style.setProperty("--swatch", `rgb(${CATEGORIES[(((value % 256) + 256) % 256) % CATEGORIES.length]})`);
    list.append(one);
  }
  if (values.length > 16) list.append("\u2026");
  made.append(title, list);
  return made;
}

const NUMBERS = [["step", "step"], ["t", "time"], ["dt", "dt"], ["particles", "particles"], ["liquid_cells", "cells"], ["iterations", "iterations"],
                 ["volume", "volume"], ["imbalance", "imbalance"], ["seconds", "a step"], ["memory", "memory"]];

function write_numbers() {
  const list = element("numbers");
  list.replaceChildren();
  for (const [name, text] of NUMBERS) {
    const value = state.latest[name];
    if (value === undefined || value === null) continue;
    const term = document.createElement("dt"), number = document.createElement("dd");
    term.textContent = text;
    number.textContent = name === "memory" ? `${short(value / 1e6)} MB` : Number.isInteger(value) ? grouped(value) : `${short(Number(value.toPrecision(3)))} ${unit_text(state.units[name])}`;
    list.append(term, number);
  }
  element("numbers-part").hidden = !list.children.length;
}

function write_state() {
  element("title").textContent = state.title;
  document.title = `${state.title} \u2013 freshet view`;
  const share_done = state.end_time && state.latest.t !== undefined ? `, ${Math.floor(100 * clamp(state.latest.t / state.end_time, 0, 1) + 1e-6)} %` : "";
  pill(state.status === "running" ? `running${share_done}` : state.status, state.status);
  element("summary").textContent = `${state.directory}: ${state.ranks} rank${state.ranks === 1 ? "" : "s"} \u00d7 ${state.threads} thread${state.threads === 1 ? "" : "s"}, ` +
    `${grouped(state.steps)} steps, ${state.times.length} moments`;
  element("time").max = Math.max(0, state.times.length - 1);
  write_numbers();
}

function pill(text, kind) {
  element("status").textContent = text;
  element("status").className = `pill ${kind}`;
}

function failed(error) {
  if (error instanceof TypeError) {  // no answer at all
    lost = true;
    pill("no connection", "lost");
  } else note(error.message);
}

function heard() { if (lost) { lost = false; write_state(); } }

/** Fill a selection, and keep what is chosen if it is still there. */
function fill(id, values, first = []) {
  const list = element(id), before = list.value;
  const options = [...first, ...values.map(value => [value, value])];
  if ([...list.options].map(o => o.value).join() === options.map(o => o[0]).join()) return;
  list.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  if (options.some(o => o[0] === before)) list.value = before;
}

// ------------------------------------------------------------------------------------------------------------ curves

const CURVES = [
  {title: "Volume", columns: [["volume", ""]]},
  {title: "Energy", columns: [["kinetic_energy", "kinetic"], ["height_energy", "potential"]]},
  {title: "Pressure iterations", columns: [["iterations", ""]]},
  {title: "Imbalance of ranks", columns: [["imbalance", ""]]},
];

const wanted_curves = () => [...CURVES, ...(element("column").value ? [{title: element("column").value, columns: [[element("column").value, ""]]}] : [])]
  .filter(curve => curve.columns.every(([name]) => name === "height_energy" ? state.columns.includes("potential_energy") : state.columns.includes(name)));

async function load_curves() {
  if (!state || !state.steps || !element("curves-part").open) return;
  const names = [...new Set(wanted_curves().flatMap(curve => curve.columns.map(([name]) => name)))];
  if (!names.length) return;
  try {
    curve_data = await ask("curves", {columns: names.join(",")});
    draw_curves();
    heard();
  } catch (error) { failed(error); }
}

function draw_curves() {
  if (!curve_data) return;
  const place = element("curves"), curves = wanted_curves().filter(curve => curve.columns.every(([name]) => curve_data.arrays["low " + name]));
  while (place.children.length > curves.length) place.lastChild.remove();
  while (place.children.length < curves.length) place.append(new_curve());
  curves.forEach((curve, i) => draw_curve(place.children[i], curve));
}

function new_curve() {
  const figure = document.createElement("figure"), caption = document.createElement("figcaption"), canvas = document.createElement("canvas");
  figure.className = "curve";
  caption.append(document.createElement("span"), document.createElement("span"));
  figure.append(caption, canvas);
  canvas.addEventListener("click", event => {
    const [first, last] = curve_ends();
    go_to_time(first + (last - first) * event.offsetX / canvas.clientWidth);
  });
  return figure;
}

const curve_ends = () => { const t = curve_data.arrays.t; return [Math.min(0, t[0]), t[t.length - 1] || 1]; };

function draw_curve(figure, curve) {
  const canvas = figure.lastChild, dense = window.devicePixelRatio || 1, t = curve_data.arrays.t, [first, last] = curve_ends();
  const width = canvas.width = Math.round(canvas.clientWidth * dense), height = canvas.height = Math.round(canvas.clientHeight * dense);
  const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const lows = curve.columns.map(([name]) => curve_data.arrays["low " + name]), highs = curve.columns.map(([name]) => curve_data.arrays["high " + name]);
  const finite = (lists, pick, from) => lists.reduce((best, list) => list.reduce((a, v) => Number.isFinite(v) ? pick(a, v) : a, best), from);
  let low = finite(lows, Math.min, Infinity), high = finite(highs, Math.max, -Infinity);
  if (low > high) [low, high] = [0, 1];
  const unit_ = unit_text(state.units[curve.columns[0][0]]);
  const names = curve.columns.map(([, text]) => text).filter(Boolean);
  figure.setAttribute("aria-label", `${curve.title}: from ${short(low)} to ${short(high)}`);
  figure.firstChild.firstChild.textContent = curve.title + (unit_ ? ` [${unit_}]` : "") + (names.length ? `: ${names.join(", ")}` : "");
  figure.firstChild.lastChild.textContent = `${short(low)} to ${short(high)}`;
  if (high - low <= 1e-12 * Math.abs(high)) { low -= 0.5 * (Math.abs(low) || 1); high += 0.5 * (Math.abs(high) || 1); }
  const x = time => (time - first) / (last - first || 1) * (width - 2 * dense) + dense;
  const y = value => (1 - (value - low) / (high - low)) * (height - 4 * dense) + 2 * dense;
  pen.strokeStyle = style.getPropertyValue("--line");
  pen.lineWidth = dense;
  pen.strokeRect(0.5 * dense, 0.5 * dense, width - dense, height - dense);
  curve.columns.forEach((_, number) => {
    pen.strokeStyle = number ? `rgb(${CATEGORIES[1]})` : style.getPropertyValue("--accent");
    pen.lineWidth = 1.3 * dense;
    pen.beginPath();
    let drawing = false;
    for (let i = 0; i < t.length; ++i) {
      if (!Number.isFinite(lows[number][i])) { drawing = false; continue; }
      if (drawing) pen.lineTo(x(t[i]), y(lows[number][i])); else pen.moveTo(x(t[i]), y(lows[number][i]));
      if (highs[number][i] !== lows[number][i]) pen.lineTo(x(t[i]), y(highs[number][i]));
      drawing = true;
    }
    pen.stroke();
  });
  if (at >= 0) {
    pen.strokeStyle = style.getPropertyValue("--text");
    pen.lineWidth = dense;
    pen.beginPath();
    pen.moveTo(x(state.times[at]), 0);
    pen.lineTo(x(state.times[at]), height);
    pen.stroke();
  }
}

function go_to_time(time) {
  let best = 0;
  state.times.forEach((t, i) => { if (Math.abs(t - time) < Math.abs(state.times[best] - time)) best = i; });
  stop_following();
  show(best);
}

// ---------------------------------------------------------------------------------------------------------- controls

function play(on) {
  playing = on;
  element("play").textContent = on ? "\u25A0" : "\u25B6\uFE0E";
  element("play").setAttribute("aria-label", on ? "Stop" : "Play");
  element("play").setAttribute("aria-pressed", on);
  if (on && wanted >= state.times.length - 1 && !element("follow").checked) show(0);
}

function stop_following() { element("follow").checked = false; }
function step(count) { stop_following(); show(wanted + count); }
function toggle(id) { element(id).click(); }

function cycle(id) {
  const list = element(id);
  list.selectedIndex = (list.selectedIndex + 1) % list.options.length;
  list.dispatchEvent(new Event("change"));
}

const KEYS = {
  " ": () => play(!playing), ArrowLeft: event => step(event.shiftKey ? -10 : -1), ArrowRight: event => step(event.shiftKey ? 10 : 1),
  Home: () => step(-Infinity), End: () => step(Infinity), f: () => toggle("follow"),
  a: () => { camera.turn(-0.1, 0); move(); }, d: () => { camera.turn(0.1, 0); move(); },
  w: () => { camera.turn(0, 0.1); move(); }, s: () => { camera.turn(0, -0.1); move(); },
  "+": () => { camera.zoom(0.88); move(); }, "=": () => { camera.zoom(0.88); move(); }, "-": () => { camera.zoom(1 / 0.88); move(); },
  r: () => { camera.reset(); move(); }, l: () => cycle("liquid"), c: () => cycle("color"), b: () => toggle("blocks"), o: () => toggle("solids"),
  g: () => { const list = element("field"); list.value = list.value ? "" : (state.fields.includes("pressure") ? "pressure" : state.fields[0] || ""); list.dispatchEvent(new Event("change")); },
  "?": () => element("help").showModal(),
};

function on_key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || element("help").open || !state) return;
  const {tagName, type} = event.target;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (tagName === "SELECT" || (tagName === "INPUT" && type === "number")) return;
  if (tagName === "INPUT" && type === "range" && /^(Arrow|Home|End)/.test(key)) return;
  if (/^(BUTTON|SUMMARY|INPUT)$/.test(tagName) && key === " " && type !== "range") return;
  if (!KEYS[key]) return;
  event.preventDefault();
  KEYS[key](event);
}

function watch_pointers(canvas) {
  const down = new Map();
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); down.set(event.pointerId, event); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => down.delete(event.pointerId));
  canvas.addEventListener("pointermove", event => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const x = event.clientX - before.clientX, y = event.clientY - before.clientY, size = canvas.clientHeight;
    if (down.size === 1) {
      if (event.shiftKey || event.buttons & 6) camera.pan(x / size, y / size);
      else camera.turn(-4 * x / size, 4 * y / size);
    } else {
      const other = [...down.values()].find(one => one.pointerId !== event.pointerId);
      const gap = one => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      camera.zoom(gap(before) / gap(event));
      camera.pan(x / size / 2, y / size / 2);
    }
    down.set(event.pointerId, event);
    move();
  });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    camera.zoom(Math.exp(clamp(event.deltaY, -100, 100) * 0.0016));
    move();
  }, {passive: false});
}

function connect_controls() {
  const on = (id, event, action) => element(id).addEventListener(event, action);
  on("first", "click", () => step(-Infinity));
  on("back", "click", () => step(-1));
  on("play", "click", () => play(!playing));
  on("next", "click", () => step(1));
  on("last", "click", () => step(Infinity));
  on("time", "input", () => { stop_following(); show(Number(element("time").value)); });
  on("follow", "change", () => { if (element("follow").checked) show(Infinity); });
  for (const id of ["liquid", "color", "budget", "field", "axis", "blocks", "solids"]) on(id, "change", again);
  on("place", "input", again);
  on("color", "change", () => { element("low").value = element("high").value = ""; });
  for (const id of ["low", "high"]) on(id, "input", () => {
    if (shown.slice && !shown.particles && !shown.surface) again();
    legend(shown.particles || shown.surface, shown.slice);
    dirty = true;
  });
  on("size", "input", () => { dirty = true; });
  on("box", "change", () => { dirty = true; });
  on("reset", "click", () => { camera.reset(); dirty = true; });
  on("help-button", "click", () => element("help").showModal());
  on("column", "change", load_curves);
  on("curves-part", "toggle", load_curves);
  window.addEventListener("resize", () => { dirty = true; draw_curves(); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { dirty = true; draw_curves(); });
  document.addEventListener("keydown", on_key);
  watch_pointers(element("picture"));
}

// ---------------------------------------------------------------------------------------------------------- the start

/** Ask what is there now, and show what is new. */
async function poll() {
  try {
    const before = state, now = await ask("state");
    if (now === null) throw new TypeError("the run is not there");
    state = now;
    lost = false;
    if (!before || JSON.stringify([before.box, before.up, before.solids]) !== JSON.stringify([now.box, now.up, now.solids])) {
      camera.setup(now.box, now.up, now.dimension);
      frames.clear();
      ranges = {};
      await load_solids();
    }
    fill("color", now.colors);
    fill("field", now.fields, [["", "nothing"]]);
    fill("column", now.columns.filter(name => !["step", "t"].includes(name)), [["", "none"]]);
    write_state();
    if (!before || before.steps !== now.steps || before.latest.t !== now.latest.t) await load_curves();
    const grew = !before || before.times.length !== now.times.length || before.times.at(-1) !== now.times.at(-1);
    if (before && now.times.length < before.times.length) frames.clear();  // a run that has begun again
    if (!now.times.length) note(now.status === "running" ? "The run has written no snapshot yet." : "The run has no snapshots: see output.interval.");
    else if (wanted < 0) show(element("follow").checked ? now.times.length - 1 : 0);
    else if (grew && (element("follow").checked || wanted >= now.times.length)) show(now.times.length - 1);
    else write_clock();
  } catch (error) { failed(error); }
  setTimeout(poll, state && state.status !== "running" && !lost ? POLL_IDLE : POLL_RUNNING);
}

function start() {
  if (window.matchMedia("(max-width: 760px)").matches) {
    element("budget").value = "125000";
    element("settings").open = false;
  } else element("budget").value = "500000";
  element("follow").checked = location.hash === "#newest";
  try {
    painter = new Painter(element("picture"));
  } catch (error) {
    note(error.message);
    pill("no picture", "failed");
    return;
  }
  frames = new Frames(painter);
  connect_controls();
  requestAnimationFrame(each_picture);
  poll();
}

start();
