# SPDX-License-Identifier: Apache-2.0
"""A perspective camera that looks at a box slightly from above. Lengths in metres, pixels from the top left."""
import numpy as np


class Camera:
    """Points to pixels and depths, pixels to rays."""

    def __init__(self, box, up, size, azimuth=28.0, elevation=20.0, margin=0.06):
        """box: (2, 3), low and high corner, fills the picture; size: (width, height) [pixels]; angles [degrees].

        Azimuth 0 looks along the shorter horizontal side of the box; a positive azimuth moves the eye to the right.
        """
        self.width, self.height = size
        self.up, self.right, self.forward = axes(box, up, np.radians(azimuth), np.radians(elevation))
        corners = box_corners(box)
        center = box.mean(axis=0)
        distance = 2.6 * np.linalg.norm(box[1] - box[0])
        self.eye = center - distance * self.forward
        self.focus, self.center = 1.0, np.zeros(2)
        pixels, _ = self.project(corners)
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        self.focus = (1 - 2 * margin) * np.min(np.array(size) / (high - low))
        self.center = np.array(size) / 2 - self.focus * (low + high) / 2

    def project(self, points):
        """Pixels (n, 2) of points, and their depths (n,) along the line of sight [m]."""
        relative = points - self.eye
        depth = relative @ self.forward
        x = relative @ self.right / depth
        y = -(relative @ self.up) / depth
        return np.stack([x, y], axis=-1) * self.focus + self.center, depth

    def rays(self):
        """Directions (height, width, 3), scaled so that eye + depth * ray is the point at that depth."""
        x = (np.arange(self.width) + 0.5 - self.center[0]) / self.focus
        y = (np.arange(self.height) + 0.5 - self.center[1]) / self.focus
        return self.forward + x[None, :, None] * self.right - y[:, None, None] * self.up


def axes(box, up, azimuth, elevation):
    """Unit vectors of the camera: up, right, forward."""
    vertical = int(np.argmax(np.abs(up)))
    upward = np.zeros(3)
    upward[vertical] = np.sign(up[vertical])
    extent = box[1] - box[0]
    extent[vertical] = -1
    sideways = np.zeros(3)
    sideways[int(np.argmax(extent))] = 1
    ahead = np.cross(upward, sideways)
    ahead, sideways = (np.cos(azimuth) * ahead - np.sin(azimuth) * sideways,
                       np.cos(azimuth) * sideways + np.sin(azimuth) * ahead)
    forward = np.cos(elevation) * ahead - np.sin(elevation) * upward
    return np.cross(sideways, forward), sideways, forward


def box_corners(box):
    """Corners (8, 3); bit d of a corner's number is its side along axis d."""
    return np.array([[box[(i >> d) & 1][d] for d in range(3)] for i in range(8)])


def box_edges():
    """Pairs of corner numbers."""
    return [(i, i | 1 << d) for i in range(8) for d in range(3) if not i & 1 << d]
