# SPDX-License-Identifier: Apache-2.0
"""Draws water from particles: screen-space fluid rendering (van der Laan, Green & Sainz 2009).

Particles are drawn as balls into a depth buffer. The buffer is smoothed, and its normals are shaded. The smoothing filter
ignores depths that differ by more than a few radii (narrow-range filter, Truong & Yuksel 2018).
"""
import matplotlib.colors
import numpy as np
from scipy import ndimage

from ..geometry.camera import Camera, box_corners, box_edges
from .obstacles import hit

FAR = np.inf
SPEED_COLORS = matplotlib.colors.LinearSegmentedColormap.from_list(
    "water", ["#124a8e", "#1f6db6", "#4597d6", "#8ac5ec", "#cfe9f9", "#ffffff"])
STILL_COLOR = np.array(matplotlib.colors.to_rgb("#1f6db6"))
SOLID_COLOR = np.array([0.62, 0.57, 0.52])
PAPER_COLOR = np.array([0.925, 0.94, 0.955])  # not white, because splashes are white
FLOOR_COLOR = np.array([0.80, 0.79, 0.77])
SHADE_COLOR, LIGHT_COLOR = np.array([0.56, 0.66, 0.80]), np.array([1.14, 1.12, 1.10])  # shadows stay blue
SKY_LOW, SKY_HIGH = np.array([0.93, 0.95, 0.97]), np.array([0.72, 0.82, 0.92])


class Scene:
    """Draws snapshots of one run from one point of view."""

    def __init__(self, box, up, cell_size, solids, size=(640, 420), azimuth=28.0, elevation=20.0, oversampling=2):
        """box: (2, 3), what the picture shows [m]; up: unit vector; size: width and height [pixels]."""
        self.box, self.up, self.solids, self.oversampling = box, up, solids, oversampling
        self.radius = 0.75 * cell_size
        self.camera = Camera(box, up, (size[0] * oversampling, size[1] * oversampling), azimuth, elevation)
        self.rays = self.camera.rays()
        self.light = self.unit(0.9 * self.camera.up - 0.55 * self.camera.right - 0.75 * self.camera.forward)
        self.background, self.background_depth = self.draw_background(None)

    @staticmethod
    def unit(v):
        return v / np.linalg.norm(v)

    def draw(self, position, speed, top_speed, poses=None):
        """The picture (height, width, 3). Without speed the water has one colour. poses: see obstacles.hit()."""
        if poses is not None:
            self.background, self.background_depth = self.draw_background(poses)
        image = self.background.copy()
        self.draw_shadow(image, position)
        self.draw_lines(image, "back")
        position = np.clip(position, self.box[0] + 0.7 * self.radius, self.box[1] - 0.7 * self.radius)  # within walls
        depth, thickness, tint = self.splat(position, speed, top_speed)
        wet = np.isfinite(depth)
        if wet.any():
            size = self.radius * self.camera.focus / np.median(depth[wet])
            wet &= ndimage.gaussian_filter(wet.astype(float), 0.5 * size) > 0.6  # a smooth outline
            self.draw_water(image, self.smooth(depth, wet), wet, thickness, tint)
        self.draw_lines(image, "front")
        n = self.oversampling
        height, width = image.shape[0] // n, image.shape[1] // n
        return np.clip(image.reshape(height, n, width, n, 3).mean(axis=(1, 3)), 0, 1)

    # -------------------------------------------------------------------------------------------------- surroundings
    def draw_background(self, poses):
        """Paper, floor of the tank and solids, and their depths."""
        camera = self.camera
        image = np.broadcast_to(PAPER_COLOR, self.rays.shape).copy()
        depth, inside = self.floor()
        image[inside] = FLOOR_COLOR
        solid_depth, normal = hit(self.solids, poses, camera, self.box)
        solid = solid_depth < np.where(inside, depth * 1.0001, FAR)
        light = 0.45 + 0.55 * np.clip(normal @ self.light, 0, 1)
        image[solid] = (SOLID_COLOR * light[..., None])[solid]
        return image, np.where(solid, solid_depth, np.where(inside, depth, FAR))

    def vertical(self):
        """Number of the vertical axis, and the coordinate of the floor on it."""
        axis = int(np.argmax(np.abs(self.up)))
        return axis, self.box[0 if self.up[axis] > 0 else 1][axis]

    def floor(self):
        """Depth of the floor of the tank, and the pixels that show it."""
        axis, level = self.vertical()
        with np.errstate(divide="ignore"):
            depth = (level - self.camera.eye[axis]) / self.rays[..., axis]
        point = self.camera.eye + np.where(np.isfinite(depth), depth, 0)[..., None] * self.rays
        inside = depth > 0
        for d in range(3):
            if d != axis:
                inside &= (point[..., d] >= self.box[0][d]) & (point[..., d] <= self.box[1][d])
        return depth, inside

    def draw_shadow(self, image, position):
        """Darkens the floor below water."""
        axis, _ = self.vertical()
        u, v = (d for d in range(3) if d != axis)
        step = 2 * self.radius
        shape = [max(1, int(np.ceil((self.box[1][d] - self.box[0][d]) / step))) for d in (u, v)]
        cell = [np.clip(((position[:, d] - self.box[0][d]) / step).astype(int), 0, n - 1)
                for d, n in zip((u, v), shape)]
        count = np.bincount(cell[0] * shape[1] + cell[1], minlength=shape[0] * shape[1]).reshape(shape)
        shade = ndimage.gaussian_filter((count > 0).astype(float), 2.0)
        depth, inside = self.floor()
        inside &= self.background_depth >= depth * 0.9999
        point = self.camera.eye + depth[inside][:, None] * self.rays[inside]
        at = [np.clip((point[:, d] - self.box[0][d]) / step - 0.5, 0, n - 1) for d, n in zip((u, v), shape)]
        image[inside] *= 1 - 0.35 * ndimage.map_coordinates(shade, at, order=1, mode="nearest")[:, None]

    def draw_lines(self, image, which):
        """Draws edges of the box; those that meet its furthest corner are behind the water."""
        corners = box_corners(self.box)
        pixels, depth = self.camera.project(corners)
        furthest = int(np.argmax(depth))
        for a, b in box_edges():
            if (furthest in (a, b)) == (which == "back"):
                n = int(2 * np.abs(pixels[b] - pixels[a]).max()) + 2
                t = np.linspace(0, 1, n)[:, None]
                line = (1 - t) * pixels[a] + t * pixels[b]
                along = 1 / ((1 - t[:, 0]) / depth[a] + t[:, 0] / depth[b])
                self.stroke(image, line, along, 0.55 if which == "back" else 0.75, which)

    def stroke(self, image, line, depth, strength, which):
        width = max(1, self.oversampling)
        for dx in range(width):
            for dy in range(width):
                x, y = (line + [dx, dy]).astype(int).T
                seen = (x >= 0) & (x < image.shape[1]) & (y >= 0) & (y < image.shape[0])
                x, y, far = x[seen], y[seen], depth[seen]
                if which == "back":
                    free = far < self.background_depth[y, x] * 1.001
                    x, y = x[free], y[free]
                image[y, x] = image[y, x] * (1 - strength) + strength * np.array([0.35, 0.38, 0.42])

    # --------------------------------------------------------------------------------------------------------- water
    def splat(self, position, speed, top_speed):
        """Depth of the nearest ball (inf where there is none), thickness of the water [m], colour."""
        height, width = self.rays.shape[:2]
        pixel, depth = self.camera.project(position)
        shown = ((pixel >= 0) & (pixel < [width, height])).all(axis=1)
        pixel, depth = pixel[shown], depth[shown]
        speed = None if speed is None else speed[shown]
        pixels_a_metre = self.camera.focus / np.median(depth) if len(depth) else 1.0
        size = max(1.5, self.radius * pixels_a_metre)
        thickness = self.thickness(pixel, size, pixels_a_metre)
        near = self.visible(pixel, depth, size)
        pixel, depth = pixel[near], depth[near]
        buffer = self.depth_buffer(pixel, depth, size)
        tint = np.broadcast_to(STILL_COLOR, (height, width, 3))
        if speed is not None:
            tint = self.tint(pixel, depth, speed[near] / max(top_speed, 1e-9), buffer, size)
        return buffer, thickness, tint

    def thickness(self, pixel, size, pixels_a_metre):
        height, width = self.rays.shape[:2]
        at = pixel.astype(int)
        count = np.bincount(at[:, 1] * width + at[:, 0], minlength=height * width).reshape(height, width)
        volume = (2 * self.radius / 1.5 / 2) ** 3  # of a particle, with 2 along each axis of a cell
        return ndimage.gaussian_filter(count.astype(float), 0.8 * size) * volume * pixels_a_metre ** 2

    def visible(self, pixel, depth, size):
        """Which particles are not hidden behind a closed front of others."""
        height, width = self.rays.shape[:2]
        coarse = max(2, int(size))
        shape = (height // coarse + 1, width // coarse + 1)
        cell = (pixel // coarse).astype(int)
        index = cell[:, 1] * shape[1] + cell[:, 0]
        front = np.full(shape[0] * shape[1], FAR)
        order = np.argsort(-depth)
        front[index[order]] = depth[order]  # the nearest particle is written last
        front = ndimage.maximum_filter(front.reshape(shape), 3).ravel()
        return depth < front[index] + 2 * self.radius

    def depth_buffer(self, pixel, depth, size):
        height, width = self.rays.shape[:2]
        order = np.argsort(-depth)
        pixel, depth = pixel[order], depth[order]
        buffer = np.full(height * width, FAR)
        reach = int(np.ceil(size))
        corner = np.floor(pixel).astype(int)
        middle = corner + 0.5 - pixel
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                if np.hypot(max(abs(dx) - 1, 0), max(abs(dy) - 1, 0)) > size:
                    continue
                x, y = corner[:, 0] + dx, corner[:, 1] + dy
                off = ((middle[:, 0] + dx) ** 2 + (middle[:, 1] + dy) ** 2) / size ** 2
                inside = (off < 1) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
                index = (y * width + x)[inside]
                front = depth[inside] - self.radius * np.sqrt(1 - off[inside])
                nearer = front < buffer[index]
                buffer[index[nearer]] = front[nearer]  # the nearest of several on one pixel is written last
        return buffer.reshape(height, width)

    def tint(self, pixel, depth, speed, buffer, size):
        """Colour of the water: speed of the particles at the surface, blurred."""
        height, width = buffer.shape
        at = pixel.astype(int)
        surface = depth < buffer[at[:, 1], at[:, 0]] + 3 * self.radius
        index = (at[:, 1] * width + at[:, 0])[surface]
        weight = np.bincount(index, minlength=height * width).reshape(height, width).astype(float)
        value = np.bincount(index, speed[surface], minlength=height * width).reshape(height, width)
        weight, value = (ndimage.gaussian_filter(a, 1.2 * size) for a in (weight, value))
        return SPEED_COLORS(np.clip(value / np.maximum(weight, 1e-12), 0, 1))[..., :3]

    def smooth(self, depth, wet):
        """Depth of the surface, smoothed so that single balls do not show."""
        size = max(1.5, self.radius * self.camera.focus / np.median(depth[wet]))
        rows, columns = (np.flatnonzero(wet.any(axis=axis)) for axis in (1, 0))
        window = np.s_[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1]
        step = max(1, round(size / 6))
        part = depth[window]
        for sigma in (1.2 * size, 0.9 * size, 0.6 * size):
            for axis in (0, 1):
                part = narrow_range_filter(part, axis, step, sigma, 3.0 * self.radius)
        result = np.full_like(depth, FAR)
        result[window] = part
        return result

    def draw_water(self, image, depth, wet, thickness, tint):
        normal = self.normals(depth, wet)
        view = -self.rays / np.linalg.norm(self.rays, axis=-1, keepdims=True)
        facing = np.clip((normal * view).sum(-1), 0, 1)
        fresnel = 0.03 + 0.55 * (1 - facing) ** 5
        mirrored = 2 * facing[..., None] * normal - view
        height = np.clip(0.5 + 0.5 * (mirrored @ self.camera.up), 0, 1)[..., None]
        sky = SKY_LOW + (SKY_HIGH - SKY_LOW) * height
        gloss = np.clip((mirrored * self.light).sum(-1), 0, 1)[..., None] ** 60
        light = SHADE_COLOR + (LIGHT_COLOR - SHADE_COLOR) * np.clip(normal @ self.light, 0, 1)[..., None]
        opacity = np.clip(1 - np.exp(-thickness / (0.8 * self.radius)), 0.55, 0.98)[..., None]
        body = opacity * tint * light + (1 - opacity) * image
        color = body + 0.75 * fresnel[..., None] * (sky - body) + 0.35 * gloss
        front = wet & (depth < self.background_depth)
        image[front] = color[front]

    def normals(self, depth, wet):
        """Normals out of the surface; of the two differences along an axis the one with the smaller jump counts."""
        safe = np.where(wet, depth, np.median(depth[wet]))
        point = self.camera.eye + safe[..., None] * self.rays
        sides = []
        for axis in (1, 0):
            ahead = np.roll(point, -1, axis) - point
            behind = point - np.roll(point, 1, axis)
            jump_ahead = np.abs(np.roll(safe, -1, axis) - safe) + 1e9 * ~np.roll(wet, -1, axis)
            jump_behind = np.abs(safe - np.roll(safe, 1, axis)) + 1e9 * ~np.roll(wet, 1, axis)
            sides.append(np.where((jump_ahead < jump_behind)[..., None], ahead, behind))
        normal = np.cross(sides[1], sides[0])
        normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-300)
        flipped = (normal * self.rays).sum(-1, keepdims=True) > 0
        return np.where(flipped, -normal, normal)


def narrow_range_filter(depth, axis, step, sigma, span):
    """Gaussian mean of depths along one axis, over every step-th pixel.

    A depth more than `span` in front of the pixel's own is left out; one more than `span` behind counts as if at `span`.
    """
    total = depth.copy()
    weights = np.ones_like(depth)
    wet = np.isfinite(depth)
    total[~wet] = 0.0
    for offset in range(step, int(2 * sigma) + 1, step):
        weight = np.exp(-0.5 * (offset / sigma) ** 2)
        for sign in (-1, 1):
            other = shifted(depth, sign * offset, axis)
            use = wet & np.isfinite(other) & (other > depth - span)
            value = np.minimum(other, depth + span)
            total += np.where(use, weight * np.where(use, value, 0.0), 0.0)
            weights += weight * use
    return np.where(wet, total / weights, FAR)


def shifted(values, offset, axis):
    """Values moved by an offset; inf enters from outside."""
    result = np.full_like(values, FAR)
    source, target = [slice(None)] * 2, [slice(None)] * 2
    source[axis] = slice(max(0, offset), values.shape[axis] + min(0, offset))
    target[axis] = slice(max(0, -offset), values.shape[axis] + min(0, -offset))
    result[tuple(target)] = values[tuple(source)]
    return result
